import type { Verdict } from './finding.ts';
import type { ConformanceReport } from './suite.ts';

const words: Readonly<Record<Verdict, string>> = {
  pass: 'pass',
  fail: 'FAIL',
  'not-checkable': 'not checkable',
  'not-run': 'not run',
};
const colors: Readonly<Record<Verdict, number>> = {
  pass: 32,
  fail: 31,
  'not-checkable': 33,
  'not-run': 33,
};

/** Formats a report for a person. @param color adds terminal colors */
export function conformanceTable(report: ConformanceReport, color = false): string {
  const idWidth = Math.max(4, ...report.results.map(({ rule }) => rule.length));
  const wordWidth = Math.max(...Object.values(words).map((word) => word.length));
  const indent = ' '.repeat(wordWidth + idWidth + 4);
  const lines = report.results.map(({ rule, title, verdict, seen }) => {
    const word = words[verdict].padEnd(wordWidth);
    const shown = color ? `\u001b[${colors[verdict]}m${word}\u001b[0m` : word;
    return `${shown}  ${rule.padEnd(idWidth)}  ${title}\n${indent}${seen}`;
  });
  const { baseUrl, environment, passed, failed, notCheckable, notRun } = report;
  return [
    `${environment} at ${baseUrl}`,
    '',
    ...lines,
    ...report.notes.map((note) => `${'note'.padEnd(wordWidth)}  ${note}`),
    '',
    `${passed} passed, ${failed} failed, ${notCheckable} not checkable, ${notRun} not run`,
    '',
  ].join('\n');
}
