import { createHash } from 'node:crypto';
import { brotliCompressSync } from 'node:zlib';

/**
 * Returns a published file's size after Brotli compression, in bytes. A hash in an imported file's
 * name changes the size by up to 20 bytes, so each hash is replaced by one that depends only on the
 * name.
 */
export function brotliSize(code: string): number {
  const stable = code.replaceAll(/([\w-]+?)-[\w-]{6}(?=\.js\b)/g, (_, name: string) => {
    const hash = createHash('sha256').update(name).digest('base64url').slice(0, 6);
    return `${name}-${hash}`;
  });
  return brotliCompressSync(stable).byteLength;
}
