import { Secret } from '../secret/secret.ts';
import { type PostgresAddress, postgresName, PostgresUrlError } from '../sql/postgres-url.ts';
import type { VariableType } from './variable.ts';

/** Location of a store. Only `url` contains the password; `file` is the file that it was read from. */
export type StatedStore =
  | { kind: 'sqlite'; file: string }
  | { kind: 'postgres'; name: string; url: Secret; file?: string | undefined };

/** SQLite's name for an in-memory database. */
export const IN_MEMORY = ':memory:';

/** `sqlite:<file>` or `postgres://…`. @param example an example file name for messages */
export function storeLocation(
  readUrl: (text: string) => PostgresAddress,
  example: string,
): VariableType<StatedStore> {
  return {
    read(text, { refuse, file }) {
      if (/^postgres(?:ql)?:/.test(text)) {
        try {
          const name = postgresName(readUrl(text));
          return { kind: 'postgres', name, url: new Secret(text), file };
        } catch (error) {
          if (!(error instanceof PostgresUrlError)) throw error;
          refuse(error.message);
          return undefined;
        }
      }
      const path = text.startsWith('sqlite:') ? text.slice('sqlite:'.length) : '';
      const wrong = problemOf(path, example);
      if (wrong !== undefined) refuse(wrong);
      return path === '' || wrong !== undefined ? undefined : { kind: 'sqlite', file: path };
    },
    rule: 'must be sqlite:<file> or postgres://…',
  };
}

function problemOf(file: string, example: string): string | undefined {
  // SQLite would accept a URI, with parameters that could give each connection its own database.
  if (/^file:/i.test(file)) return 'must be sqlite:<file> with a path, not a file: URI';
  // Other libraries use such URLs but disagree on whether the path is relative or absolute. Here it
  // would be an absolute path, which the operator may not expect.
  if (file.startsWith('//')) {
    return `must be sqlite:<file> without "//": sqlite:${example} in the current directory, or an absolute path such as sqlite:/var/lib/${example}`;
  }
  return undefined;
}
