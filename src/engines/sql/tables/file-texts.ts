import { checksumOfText, toStorable } from '../../stored-rows.js';
import { upsert } from '../dialect.js';

/** Statement that stores the text of a file; takes `fileTextValues`. */
export const putFileText = upsert('file_text', ['checksum'], ['text', 'failure', 'crc']);

/** @param failure why the file has no text; null: it has one */
export function fileTextValues(checksum: string, text: string, failure: string | null) {
  const [storedText, storedFailure] = [toStorable(text), failure === null ? null : toStorable(failure)];
  return [checksum, storedText, storedFailure, checksumOfText(storedText, storedFailure)] as const;
}
