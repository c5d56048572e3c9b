/** The browser's part of the page: see build/preview-script.ts. */
declare module "virtual:preview-script" {
  const script: string;
  export default script;
}
