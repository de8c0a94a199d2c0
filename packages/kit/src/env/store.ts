import { Secret } from '../secret/secret.ts';
import { type PostgresAddress, postgresName, PostgresUrlError } from '../sql/postgres-url.ts';
import type { EnvironmentReader } from './reader.ts';
import type { VariableTable } from './variable.ts';

/** Location of a store. Only `url` contains the password; `file` is the file that it was read from. */
export type StatedStore =
  | { kind: 'sqlite'; file: string }
  | { kind: 'postgres'; name: string; url: Secret; file?: string | undefined };

/** SQLite's name for an in-memory database. */
export const IN_MEMORY = ':memory:';

/**
 * Reads `sqlite:<file>` or `postgres://…`.
 * @param rules.inMemory why an in-memory store is refused; undefined permits one
 * @param rules.example an example file name for messages
 */
export function readStoreLocation<Table extends VariableTable>(
  env: EnvironmentReader<Table>,
  name: keyof Table & string,
  rules: {
    readUrl: (text: string) => PostgresAddress;
    inMemory: string | undefined;
    example: string;
  },
): StatedStore | undefined {
  const stated: unknown = env.read(name);
  // The reader has already recorded the problem.
  if (!(stated instanceof Secret)) return undefined;
  const text = stated.reveal();
  if (/^postgres(?:ql)?:/.test(text)) {
    try {
      const file = env.fileOf(name);
      return { kind: 'postgres', name: postgresName(rules.readUrl(text)), url: stated, file };
    } catch (error) {
      if (!(error instanceof PostgresUrlError)) throw error;
      env.problem(name, error.message);
      return undefined;
    }
  }
  const file = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : '';
  const wrong = problemOf(file, rules);
  if (wrong === undefined) return { kind: 'sqlite', file };
  env.problem(name, wrong);
  return undefined;
}

function problemOf(
  file: string,
  { example, inMemory }: { inMemory: string | undefined; example: string },
): string | undefined {
  if (file === '') return 'must be sqlite:<file> or postgres://…';
  // SQLite would accept a URI, with parameters that could give each connection its own database.
  if (/^file:/i.test(file)) return 'must be sqlite:<file> with a path, not a file: URI';
  // Other libraries use such URLs but disagree on whether the path is relative or absolute. Here it
  // would be an absolute path, which the operator may not expect.
  if (file.startsWith('//')) {
    return `must be sqlite:<file> without "//": sqlite:${example} in the current directory, or an absolute path such as sqlite:/var/lib/${example}`;
  }
  return file === IN_MEMORY && inMemory !== undefined ? `is in memory: ${inMemory}` : undefined;
}
