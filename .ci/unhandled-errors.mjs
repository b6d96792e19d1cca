// A reporter of Vitest: writes how many errors came from outside of all tests, which its report in JSON does not have.
import { writeFileSync } from 'node:fs';

export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    writeFileSync(process.env.LOGBOOK_TEST_ERRORS, String(errors.length));
  }
}
