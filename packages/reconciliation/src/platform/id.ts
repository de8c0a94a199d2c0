/**
 * Returns a random id that begins with the time: ids sort by creation, to the millisecond. 80
 * random bits follow.
 */
export function timedId(prefix: 'case' | 'msg', now: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(10));
  const random = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${prefix}_${now.toString(36).padStart(9, '0')}${random}`;
}
