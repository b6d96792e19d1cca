import { checkDatabase } from './check-database.js';

/** The program of the process that checks the database named by its first argument, and sends what is wrong with it. */
process.on('disconnect', () => process.exit());
process.send?.(await checkDatabase(process.argv[2] ?? ''), () => process.disconnect());
