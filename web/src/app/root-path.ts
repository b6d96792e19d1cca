/** The first part of the path of every API address, which the server writes into the page. */
export const rootPath: string =
  document.querySelector('meta[name="root-path"]')?.getAttribute('content')?.replace(/\/$/, '') ?? '/logbook';
