// A reporter of Vitest: writes the errors from outside of all tests, which its report in JSON does not have, each with the file and
// the test that ran at that time.
import { writeFileSync } from 'node:fs';

export default class UnhandledErrors {
  onTestRunEnd(_modules, errors) {
    const texts = errors.map(({ VITEST_TEST_PATH: file, VITEST_TEST_NAME: name, stack, message }) =>
      [file, name, stack ?? message].filter(Boolean).join('\n'),
    );
    writeFileSync(process.env.LOGBOOK_TEST_ERRORS, JSON.stringify(texts));
  }
}
