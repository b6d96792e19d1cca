import { endWithParent } from '../../../kernel/end-with-parent.js';
import { checkDatabase } from './check-database.js';

/**
 * The program of the process that checks the database named by its first argument, and sends what is wrong with it. The
 * second is the id of the process that started it.
 */
endWithParent(Number(process.argv[3]));
process.send?.(await checkDatabase(process.argv[2] ?? ''), () => process.disconnect());
