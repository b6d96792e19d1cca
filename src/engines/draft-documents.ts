import type { CompleteContent, DraftFile } from '../drafts/draft.js';
import { type DocumentDamageReports, type DocumentRow, readDocument } from './stored-document.js';

/** Row of a draft file, in any engine. */
export interface FileRow extends DocumentRow {
  readonly id: string;
  readonly size: number;
  readonly received: number;
  readonly checksum: string | null;
}

/** Data of a draft file that is not in columns. */
export type FileDocument = Pick<DraftFile, 'filename' | 'fileMetadataDescription'> &
  Partial<Omit<CompleteContent, 'checksum'>>;

export function toFile(reports: DocumentDamageReports, row: FileRow): DraftFile {
  const document = JSON.parse(readDocument(reports, `draft file ${row.id}`, row)) as FileDocument;
  const { filename, fileMetadataDescription, contentType = '', ...size } = document;
  return {
    id: row.id,
    filename,
    fileMetadataDescription,
    size: row.size,
    received: row.checksum === null ? row.received : row.size,
    complete: row.checksum === null ? undefined : { checksum: row.checksum, contentType, ...size },
  };
}

/**
 * Returns the revision of a draft. The version alone does not suffice: it restarts at 1 if a draft is stored under the
 * id of a removed one.
 */
export function revisionOf({ version, crc }: { readonly version: number; readonly crc: number }): string {
  return `${version}-${crc.toString(16)}`;
}
