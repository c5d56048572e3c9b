/** The text of a page. */
declare module "*.md" {
  const text: string;
  export default text;
}
