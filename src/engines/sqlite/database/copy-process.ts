import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { endWithParent } from '../../../kernel/end-with-parent.js';

/**
 * Program of the process that copies a file. Arguments: the source, the target, which must not exist, the mode of
 * `fs.copyFile`, and the id of the parent process.
 */
const [from = '', to = '', mode, parent] = process.argv.slice(2);
endWithParent(Number(parent));
try {
  await copyFile(from, to, Number(mode) | constants.COPYFILE_EXCL);
  process.disconnect();
} catch (error) {
  process.exitCode = 1;
  process.send?.((error as Error).message, () => process.disconnect());
}
