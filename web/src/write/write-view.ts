/** Part of the page that is shown if there is room for one only. */
export type WriteView = 'write' | 'preview' | 'details';
