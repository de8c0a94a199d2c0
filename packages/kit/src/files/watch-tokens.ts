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

  const stops = files.map((path) => watchFile(path, reread, watching));
  return () => {
    for (const stop of stops) stop();
  };
}
