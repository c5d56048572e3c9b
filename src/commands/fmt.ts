import { command } from "./command.ts";
export default command({
  about: "",
  flags: {},
  formats: ["text"],
  examples: [],
  async run() {
    return 0;
  },
});
