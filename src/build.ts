/** Another for every build whose code differs: the bundler puts a digest of all of it here. */
export const build: string = "{{digest of the build}}";
