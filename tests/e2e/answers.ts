import { existsSync, readFileSync } from 'node:fs';

/** How one answer of the sandbox compares with the service's published contract. */
export interface CheckedAnswer {
  /** "charges.create"; null where no operation is published. */
  operation: string | null;
  method: string;
  path: string;
  status: number;
  /** Kind of the fault that a test set on the call. */
  fault: string | null;
  problems: readonly { path: string; reason: string }[];
}

/** Returns every answer that the sandbox gave so far. */
export function checkedAnswers(file: string): CheckedAnswer[] {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'utf8');
  // The sandbox may be writing another line.
  return text
    .slice(0, text.lastIndexOf('\n') + 1)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CheckedAnswer);
}

/** A delayed answer comes from the API; the answer of any other fault does not. */
const isOfTheService = ({ fault }: CheckedAnswer) => fault === null || fault === 'latency';

/**
 * Checks that every answer of the sandbox was as published.
 * @throws {Error} with operation, path and field of each deviation; also if there was no answer, so
 * that a run that checked nothing cannot pass
 */
export function expectAllPublished(file: string): void {
  const answers = checkedAnswers(file).filter(isOfTheService);
  if (answers.length === 0) throw new Error('No answer of the sandbox was checked.');
  const lines = answers.flatMap(({ operation, method, path, status, problems }) =>
    problems.map(
      (problem) =>
        `${operation ?? 'no operation'}: ${method} ${path} ${status}: ` +
        `${problem.path === '' ? '' : `${problem.path}: `}${problem.reason}`,
    ),
  );
  if (lines.length > 0) {
    const distinct = [...new Set(lines)];
    throw new Error(`Answers of the sandbox are not as published:\n${distinct.join('\n')}`);
  }
}
