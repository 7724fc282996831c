/**
 * Vitest reporter that writes the counts of the run as JSON to the file named by TANDEM_TEST_COUNTS. The numbers are
 * those of the runner. Each failure outside a test (a file that does not load, a hook of a whole file) counts as one.
 */
import { writeFileSync } from 'node:fs';

export default class CountReporter {
  /**
   * @param {readonly import('vitest/node').TestModule[]} modules
   * @param {readonly unknown[]} unhandledErrors
   */
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        // Pending means that the run ended before the test did.
        counts[state === 'pending' ? 'failed' : state] += 1;
      }
      for (const suite of [module, ...module.children.allSuites()]) {
        if (suite.errors().length > 0) counts.failed += 1;
      }
    }
    // An unhandled error belongs to no test, but a run that fails because of it must not read "0 failed".
    if (counts.failed === 0) counts.failed = unhandledErrors.length;
    writeFileSync(String(process.env['TANDEM_TEST_COUNTS']), JSON.stringify(counts));
  }
}
