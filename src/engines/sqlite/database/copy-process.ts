import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { endWithParent } from '../../../kernel/end-with-parent.js';

/**
 * The program of the process that copies the file named by its first argument to the second, which must not exist. The third
 * is the mode of `fs.copyFile`, the fourth the id of the process that started it.
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
