import { z } from 'zod';

/**
 * Characters that a name must not contain: invisible and bidirectional ones, line ends and other
 * separators, and the comma and the semicolon, which separate names in the trail.
 */
const FOREIGN = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Z}\p{Default_Ignorable_Code_Point},;`;
const name = new RegExp(`^(?: |[^${FOREIGN}])+$`, 'u');
const foreign = new RegExp(`[${FOREIGN}]+`, 'gu');

/** Returns whether a string is a name that the trail can show unambiguously. */
export function isPersonName(text: string): boolean {
  return name.test(text);
}

/** Turns a string into a name, with spaces in place of forbidden characters. May be empty. */
export function asPersonName(text: string): string {
  return text.normalize('NFC').replaceAll(foreign, ' ').trim();
}

const notName = { error: 'must be a name without commas, semicolons and invisible characters' };
/** The name of a person in a request. */
export const person = z
  .string()
  .trim()
  .min(1, { abort: true })
  .max(200)
  .refine(isPersonName, notName);

/** A token owner and the people they act for, as stated in another program's trail. */
export const actor = z
  .string()
  .trim()
  .min(1, { abort: true })
  .max(200)
  .refine((text) => text.split(', for ').every(isPersonName), notName);

/** Returns whether databases store the hashed text unchanged (no NUL, no lone surrogate). */
export function isText(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000');
}
const notText = { error: 'must hold no NUL, and no half of a character' };
/** What a person writes in a request: a note, or a reason. */
export const words = z.string().trim().min(1).max(4_000).refine(isText, notText);
