import type { LogFields } from './log.ts';

/**
 * Returns the loggable part of an unexpected error: its class, and its stack without the message.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { errorName: typeof error };
  // The stack begins with the message, and a line of the message may look like a frame.
  const frames = (error.stack ?? '')
    .replace(error.message, '')
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 8)
    .map((line) => line.trim());
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { errorName: error.name, code, frames };
}
