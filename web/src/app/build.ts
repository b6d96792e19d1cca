/** Identifies the build of this page; it changes with every file of the client. Empty during development. */
export const build = document.querySelector('meta[name="build"]')?.getAttribute('content') ?? '';
