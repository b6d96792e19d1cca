/** The build of this page, which changes with every file of the client; empty while it is developed. */
export const build = document.querySelector('meta[name="build"]')?.getAttribute('content') ?? '';
