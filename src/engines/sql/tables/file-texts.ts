import { checksumOfText, toStorable } from '../../stored-rows.js';
import { upsert } from '../dialect.js';

const put = upsert('file_text');

/**
 * Returns the statement that stores the text of a file.
 * @param failure reason why the file has no text; null: it has one
 */
export function putFileText(checksum: string, text: string, failure: string | null) {
  const [storedText, storedFailure] = [toStorable(text), failure === null ? null : toStorable(failure)];
  const crc = checksumOfText(storedText, storedFailure);
  return put({ checksum, text: storedText, failure: storedFailure, crc });
}
