import { Readable } from 'node:stream';
import { endWithParent } from '../kernel/end-with-parent.js';
import { extractText } from './extract-text.js';
import { type FileToExtract, readyMessage } from './extraction-process.js';

/** Program of the extraction process, which answers each file with its text. */

endWithParent(Number(process.argv[3]), Number(process.argv[2]));
process.on('message', ({ chunks, contentType }: FileToExtract) => {
  // A failure ends the process, and the parent counts that as the answer.
  void extractText(async () => Readable.from(chunks), contentType).then((text) => process.send?.(text));
});
process.send?.(readyMessage);
