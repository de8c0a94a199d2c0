/** Stored content cannot be read. The message contains none of the content. */
export class ContentError extends Error {
  override readonly name = 'ContentError';
  readonly code = 'content-damaged';
}

export function damagedContent(): ContentError {
  return new ContentError('A stored content is corrupt. Restore a backup of the record store.');
}
