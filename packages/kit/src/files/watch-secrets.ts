import { watchFile, type WatchedFileOptions } from './watch-file.ts';

interface StatedToken {
  name: string;
  scopes: readonly string[];
  secret: { reveal(): string };
}

interface WatchedSecret<Value> {
  path: string;
  /** Reads the file again. @throws when it is missing, half written or invalid */
  read: () => Value;
}

export interface TokenFilesOptions<Token> extends WatchedFileOptions {
  files: readonly WatchedSecret<Token[]>[];
  /** The tokens in use, which are replaced in place. */
  tokens: Token[];
  /** Called after new tokens took effect. */
  replaced: () => void;
  /** Called with the error of an unusable file; the previous tokens stay valid. */
  refused: (error: unknown) => void;
}

/**
 * Replaces access tokens as soon as their files change: a removed token becomes invalid
 * immediately.
 * @returns a function that stops watching
 */
export function watchTokens<Token extends StatedToken>(
  options: TokenFilesOptions<Token>,
): () => void {
  const { files, tokens, replaced, refused, ...watching } = options;
  const stated = () =>
    JSON.stringify(tokens.map(({ name, scopes, secret }) => [name, scopes, secret.reveal()]));
  return watchEach(files, watching, refused, ({ read }) => {
    const before = stated();
    tokens.splice(0, tokens.length, ...read());
    if (stated() !== before) replaced();
  });
}

export interface SecretFilesOptions extends WatchedFileOptions {
  files: readonly (WatchedSecret<{ reveal(): string }> & {
    variable: string;
    secret: { equals(value: string): boolean; replace(value: string): void };
  })[];
  /** Called after a new value took effect. */
  replaced: (variable: string) => void;
  /** Called with the error of an unusable file; the previous value stays in use. */
  refused: (error: unknown) => void;
}

/**
 * Replaces the values of secrets as soon as their files change.
 * @returns a function that stops watching
 */
export function watchSecrets(options: SecretFilesOptions): () => void {
  const { files, replaced, refused, ...watching } = options;
  return watchEach(files, watching, refused, ({ read, secret, variable }) => {
    const value = read().reveal();
    if (secret.equals(value)) return;
    secret.replace(value);
    replaced(variable);
  });
}

function watchEach<File extends { path: string }>(
  files: readonly File[],
  watching: WatchedFileOptions,
  refused: (error: unknown) => void,
  reread: (file: File) => void,
): () => void {
  const stops = files.map((file) => {
    const changed = () => {
      try {
        reread(file);
      } catch (error) {
        refused(error);
      }
    };
    return watchFile(file.path, changed, watching);
  });
  return () => {
    for (const stop of stops) stop();
  };
}
