/** The standard itself is sold; these are public summaries of it. */
export const iso13714 =
  "ISO/IEC 13714, as summarised at https://www.nch.com.au/ivm/iso13714.html and http://www.itams.co.uk/ivr-standards.htm";

export const avaya =
  "Avaya's guidelines for menus, https://support.avaya.com/elmodocs2/ir/r2_0/IR_R2_0_Doc_CD/CD/html/15577.htm";
