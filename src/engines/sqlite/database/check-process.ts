import { endWithParent } from '../../../kernel/end-with-parent.js';
import { checkDatabase } from './check-database.js';

/**
 * Program of the process that checks a database and sends the problems found. Arguments: the file, and the id of the
 * parent process.
 */
endWithParent(Number(process.argv[3]));
process.send?.(await checkDatabase(process.argv[2] ?? ''), () => process.disconnect());
