/** The store cannot be read or written. Its cause is the driver's error. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError';
}

/**
 * Returns whether an error means that a string contains U+0000, which PostgreSQL cannot store and
 * any client can send.
 */
export function isUnkeepable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === '22021';
}

/**
 * Returns whether both databases can store a string: PostgreSQL cannot store NUL, and UTF-8 cannot
 * encode a lone surrogate.
 */
export function isKeepableText(text: string): boolean {
  return !text.includes('\u0000') && text.isWellFormed();
}
