import type { Attachment } from '../api/types.ts';

/** Larger files are not plotted. */
const maxBytes = 50_000_000;
/** Larger texts with other names are not examined: only their beginning is fetched. */
const maxUnnamedBytes = 1_000_000;

/** Larger files of the Data Browser are not read. */
const maxDataBrowserBytes = 262_144;

const tableName = /\.(?:csv|tsv|tab)$/i;
const dataName = /\.(?:csv|tsv|tab|dat|asc|xy|xye|spe|mca)$/i;

/** Whether the file is named as a table, and not only looks like one. */
export function isNamedTable({ contentType, filename }: Attachment): boolean {
  return /^text\/(?:csv|tab-separated-values)/.test(contentType) || tableName.test(filename);
}

/** Whether an entry shows the file as a plot, if it is one. */
export function isDataFile(file: Attachment): boolean {
  return file.size <= maxBytes && (isNamedTable(file) || (isText(file) && dataName.test(file.filename)));
}

/** Whether to read the beginning of the file to find out if it is a table: any small text may be one. */
export function mayBeData(file: Attachment): boolean {
  return isDataFile(file) || (isText(file) && file.size <= maxUnnamedBytes);
}

const isText = ({ contentType }: Attachment): boolean => /^text\/plain/.test(contentType);

/** Whether the file is named like a Data Browser file. Other programs use the same name. */
export function isDataBrowserFile({ filename, size }: Attachment): boolean {
  return size <= maxDataBrowserBytes && /\.plt$/i.test(filename);
}
