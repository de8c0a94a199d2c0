import { isText } from '@financing-checkout/contract';
import { z } from 'zod';

/** A place in a list, as text that says nothing to whoever hands it back. */
export function cursorOf(...place: string[]): string {
  const bytes = new TextEncoder().encode(JSON.stringify(place));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

/** A query parameter that holds a place of `parts` names. */
export function cursorSchema(parts: number) {
  const error = 'must be the "next" of another page';
  return z
    .string()
    .max(4_096)
    .transform((text, context) => {
      try {
        const bytes = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
        const json = new TextDecoder('utf-8', { fatal: true }).decode(
          Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
        );
        const place: unknown = JSON.parse(json);
        const parsed = z.array(z.string().refine(isText)).length(parts).safeParse(place);
        if (parsed.success) return parsed.data;
      } catch {
        // Neither base64 nor JSON: the same to whoever sent it.
      }
      context.addIssue({ code: 'custom', message: error });
      return z.NEVER;
    });
}
