/** A name nobody can guess: 160 random bits in base64url after a prefix. */
export function randomId(prefix: 'chk' | 'att' | 'opr' | 'txn' | 'msg' | 'req'): string {
  const bytes = crypto.getRandomValues(new Uint8Array(20));
  const text = btoa(String.fromCharCode(...bytes));
  return `${prefix}_${text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
}

/** SHA-256 in hexadecimal. */
export async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
