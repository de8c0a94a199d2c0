import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { repeatedKeys } from '../statuses/repeated-keys.ts';
import { LedgerImportError, ledgerFieldNames } from './columns.ts';
import { dateNotations } from './dates.ts';
import { HEAD_WITHIN, namesOf } from './head.ts';
import { leftOutWithout } from './left-out.ts';
import type { TypeMeant } from './notation.ts';
import type { LedgerImportOptions } from './options.ts';

/** Presets of the package, by name; each is a file that a user could have written. */
export const presetNames = ['lines', 'shopify', 'adyen', 'paypal', 'stripe'] as const;
export type PresetName = (typeof presetNames)[number];

const words = z.array(z.string().min(1)).optional();
const presetSchema = z.strictObject({
  /** What the file is, to follow "looks like". */
  title: z.string().optional(),
  /** Columns by which such a file is recognised. */
  head: z.array(z.string().min(1)).min(1).optional(),
  map: z.partialRecord(z.enum(ledgerFieldNames), z.string().min(1)).optional(),
  types: z.strictObject({ settle: words, refund: words, sign: words, skip: words }).optional(),
  only: z.record(z.string(), z.array(z.string())).optional(),
  units: z.enum(['minor', 'major']).optional(),
  decimal: z.enum(['point', 'comma']).optional(),
  dates: z.enum(dateNotations).optional(),
  year: z.int().optional(),
  zone: z.string().optional(),
  currency: z.string().optional(),
  type: z.enum(['settle', 'refund', 'sign']).optional(),
  settleAndRefund: z.boolean().optional(),
  skipRowsWithout: z.array(z.enum(leftOutWithout)).optional(),
  skipOtherTypes: z.boolean().optional(),
  delimiter: z.string().length(1).optional(),
  encoding: z.string().optional(),
  ownExport: z.boolean().optional(),
});
export type Preset = z.infer<typeof presetSchema>;

/**
 * Returns a preset of the package by its name, or what the text of a preset file says.
 * @throws {LedgerImportError} with all that is wrong with it
 */
export function presetOf(nameOrText: string): Preset {
  const name = presetNames.find((known) => known === nameOrText);
  if (name !== undefined) return packaged(name);
  if (!nameOrText.trimStart().startsWith('{')) {
    throw new LedgerImportError(
      `There is no preset of this name: ${presetNames.join(', ')} are there, or a file of yours.`,
    );
  }
  return parsed(nameOrText);
}

function parsed(text: string): Preset {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new LedgerImportError('The preset is not JSON.');
  }
  const twice = repeatedKeys(text)[0]?.path.at(-1);
  if (twice !== undefined) {
    throw new LedgerImportError(`The preset has the key "${twice}" twice.`);
  }
  const read = presetSchema.safeParse(value);
  if (read.success) return read.data;
  const issues = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new LedgerImportError(`The preset cannot be used. ${issues.join('; ')}.`);
}

const loaded = new Map<PresetName, Preset>();

function packaged(name: PresetName): Preset {
  const known = loaded.get(name);
  if (known) return known;
  const file = new URL(`../../presets/${name}.json`, import.meta.url);
  const preset = parsed(readFileSync(file, 'utf8'));
  loaded.set(name, preset);
  return preset;
}

const meant = { settle: 'Settle', refund: 'Refund', sign: 'sign', skip: 'skip' } as const;

/** Adds to options what a preset says and they do not. */
export function withPreset(options: LedgerImportOptions, preset: Preset): LedgerImportOptions {
  const { title: _, head: _head, map, types, only, ...rest } = preset;
  const said = Object.entries(options).filter(
    ([, value]) => value !== undefined && value !== false,
  );
  const typeWords = Object.entries(types ?? {}).flatMap(([type, list]) =>
    (list ?? []).map((word): [string, TypeMeant] => [
      word.toLowerCase(),
      meant[type as keyof typeof meant],
    ]),
  );
  return {
    ...rest,
    ...(typeWords.length === 0 ? {} : { words: new Map(typeWords) }),
    ...(only === undefined ? {} : { only: new Map(Object.entries(only)) }),
    ...(Object.fromEntries(said) as LedgerImportOptions),
    mapping: { ...map, ...options.mapping },
    preset: undefined,
  };
}

/** A preset that fits a file, and what separates the values there. */
export interface Recognised {
  name: PresetName;
  preset: Preset;
  delimiter: string;
}

/** Finds the preset whose columns a line of the beginning of a file has. */
export function recognised(beginning: string): Recognised | undefined {
  const lines = beginning.split(/\r\n|\n|\r/, HEAD_WITHIN);
  for (const name of presetNames) {
    const preset = packaged(name);
    for (const delimiter of [',', ';', '\t']) {
      const isHead = (line: string) => {
        const names = new Set(namesOf(line.replace(/^\uFEFF/, '').split(delimiter)));
        return preset.head?.every((column) => names.has(column)) === true;
      };
      if (lines.some(isHead)) return { name, preset, delimiter };
    }
  }
  return undefined;
}
