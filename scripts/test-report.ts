import { basename, relative } from 'node:path';

/** The part of Vitest's JSON report that is counted. */
interface VitestReport {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numTodoTests: number;
  testResults: {
    name: string;
    assertionResults: {
      fullName: string;
      status: string;
      failureMessages: string[];
      /** Milliseconds. */
      duration?: number;
    }[];
  }[];
}

/** How many tests passed and failed, and the names of those that failed. */
export interface Counts {
  passed: number;
  failed: number;
  failures: string[];
  timed: TimedTest[];
  /** Whether each test file passed, by its path. */
  files: ReadonlyMap<string, boolean>;
}

/** A test that ran, and how long it took. */
export interface TimedTest {
  /** File and name. */
  name: string;
  milliseconds: number;
}

/**
 * Counts the tests of one Vitest run. A skipped or unwritten test proves nothing, so it counts as
 * failed; so does a run that reports no test, or that fails without a failed test.
 * @param name name of the run
 * @param json Vitest's JSON report; undefined when the run left none
 * @param exitCode exit code of the run; null when a signal ended it
 * @param root folder to which the names of test files are relative
 */
export function countTests(
  name: string,
  json: string | undefined,
  exitCode: number | null,
  root: string,
): Counts {
  const report = parse(json);
  if (!report) {
    const failures = [`${name} tests (no report)`];
    return { passed: 0, failed: 1, failures, timed: [], files: new Map() };
  }
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = report;
  const failed = numFailedTests + numPendingTests + numTodoTests;
  const isEmpty = numPassedTests === 0;
  const hasHiddenError = exitCode !== 0 && numFailedTests === 0;
  const failures = testResults.flatMap(({ name: file, assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'failed')
      .map(
        ({ fullName, failureMessages: [message = ''] }) =>
          `${relative(root, file)} > ${fullName}\n    ${reasonOf(message, file)}`,
      ),
  );
  if (exitCode !== 0 || failed > 0) failures.unshift(`${name} tests`);
  else if (isEmpty) failures.unshift(`${name} tests (none)`);
  return {
    passed: numPassedTests,
    failed: failed + (hasHiddenError || isEmpty ? 1 : 0),
    failures,
    timed: testResults.flatMap(({ name: file, assertionResults }) =>
      assertionResults.map(({ fullName, duration = 0 }) => ({
        name: `${relative(root, file)} > ${fullName}`,
        milliseconds: duration,
      })),
    ),
    files: new Map(
      testResults.map(({ assertionResults, name: file }) => [
        relative(root, file),
        assertionResults.length > 0 && assertionResults.every(({ status }) => status === 'passed'),
      ]),
    ),
  };
}

/** Returns the first line of a failure, with its line and column in the test file. */
function reasonOf(message: string, file: string): string {
  const [reason = '', ...stack] = message.split('\n');
  const place = stack.find((line) => line.includes(`${file}:`))?.match(/:\d+:\d+/)?.[0];
  return place === undefined ? reason : `${reason} (${basename(file)}${place})`;
}

/** Returns the report, or undefined when it is missing, cut off or without counts. */
function parse(json: string | undefined): VitestReport | undefined {
  try {
    const report = JSON.parse(json ?? '') as VitestReport;
    const counts = [
      report.numPassedTests,
      report.numFailedTests,
      report.numPendingTests,
      report.numTodoTests,
    ];
    return counts.every(Number.isInteger) ? report : undefined;
  } catch {
    return undefined;
  }
}
