/** What of the page is shown where there is room for one part only. */
export type WriteView = 'write' | 'preview' | 'details';
