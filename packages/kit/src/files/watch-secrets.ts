import { watchFile, type WatchedFileOptions } from './watch-file.ts';

interface StatedToken {
  name: string;
  scopes: readonly string[];
  secret: { reveal(): string };
}

export interface TokenFilesOptions<Token> extends WatchedFileOptions {
  files: readonly string[];
  /** The tokens in use, which are replaced in place. */
  tokens: Token[];
  /** Reads the tokens again. @throws when a file is missing, half written or invalid */
  read: () => Token[];
  /** Is called when other tokens are in use. */
  replaced: () => void;
  /** Is called with the error of {@link read}; the tokens of before stay valid. */
  refused: (error: unknown) => void;
}

/**
 * Replaces access tokens as soon as their files have others: a removed token ends at once.
 * @returns a function that stops watching
 */
export function watchTokens<Token extends StatedToken>({
  files,
  tokens,
  read,
  replaced,
  refused,
  ...watching
}: TokenFilesOptions<Token>): () => void {
  const stated = () =>
    JSON.stringify(tokens.map(({ name, scopes, secret }) => [name, scopes, secret.reveal()]));

  function reread(): void {
    const before = stated();
    try {
      tokens.splice(0, tokens.length, ...read());
    } catch (error) {
      refused(error);
      return;
    }
    if (stated() !== before) replaced();
  }

  return watchEach(files, (path) => watchFile(path, reread, watching));
}

interface SecretFile {
  variable: string;
  path: string;
  secret: { equals(value: string): boolean; replace(value: string): void };
  /** Reads the file again. @throws when it is missing, half written or invalid */
  read: () => { reveal(): string };
}

export interface SecretFilesOptions extends WatchedFileOptions {
  files: readonly SecretFile[];
  /** Is called when another value is in use. */
  replaced: (variable: string) => void;
  /** Is called with the error of a file that cannot be used; the value of before stays. */
  refused: (error: unknown) => void;
}

/**
 * Replaces secrets, for all that hold them, as soon as their files have others.
 * @returns a function that stops watching
 */
export function watchSecrets(options: SecretFilesOptions): () => void {
  const { files, replaced, refused, ...watching } = options;
  return watchEach(files, ({ path, read, secret, variable }) => {
    const reread = () => {
      try {
        const value = read().reveal();
        if (secret.equals(value)) return;
        secret.replace(value);
        replaced(variable);
      } catch (error) {
        refused(error);
      }
    };
    return watchFile(path, reread, watching);
  });
}

function watchEach<File>(files: readonly File[], watch: (file: File) => () => void): () => void {
  const stops = files.map(watch);
  return () => {
    for (const stop of stops) stop();
  };
}
