/** The script of the page, bundled by build/preview-script.ts. */
declare module "virtual:preview-script" {
  const script: string;
  export default script;
}
