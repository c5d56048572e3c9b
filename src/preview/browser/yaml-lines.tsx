/** Changed lines of a file, each after `-` or `+`. */
export function YamlLines({ lines }: { readonly lines: readonly string[] }) {
  return (
    <pre class="yaml" tabIndex={0}>
      {lines.map((line, at) => (
        <span key={at} class={line.startsWith("-") ? "minus" : "plus"}>
          {line}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}
