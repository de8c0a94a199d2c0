import { readFileSync } from 'node:fs';
import { HEAD_WITHIN, namesOf } from './head.ts';
import type { TypeMeant } from './notation.ts';
import type { LedgerImportOptions } from './options.ts';
import { isOwnNdjson } from './own-ndjson.ts';
import type { Preset } from './preset-schema.ts';

/** Built-in presets, by name; a user could have written any of these files. */
export const presetNames = [
  'lines',
  'shopify',
  'shopify-payouts',
  'adyen',
  'paypal',
  'stripe',
  'square',
  'razorpay',
  'razorpay-api',
  'vipps',
  'vipps-transactions',
  // India has the columns of the United States, and more.
  'amazon-in',
  'amazon-us',
  'amazon-de',
  'amazon-fr',
] as const;
export type PresetName = (typeof presetNames)[number];

const loaded = new Map<PresetName, Preset>();

/**
 * Returns a built-in preset. A test validates the preset files, so that a worker does not have to
 * load the schema library.
 */
export function packaged(name: PresetName): Preset {
  const known = loaded.get(name);
  if (known) return known;
  const file = new URL(`../../presets/${name}.json`, import.meta.url);
  const preset = JSON.parse(readFileSync(file, 'utf8')) as Preset;
  loaded.set(name, preset);
  return preset;
}

const meant = { settle: 'Settle', refund: 'Refund', sign: 'sign', skip: 'skip' } as const;

/** Fills in options from a preset. */
export function withPreset(options: LedgerImportOptions, preset: Preset): LedgerImportOptions {
  const { map, types, only, ...rest } = preset;
  const said = Object.entries(options).filter(
    ([, value]) => value !== undefined && value !== false,
  );
  const typeWords = Object.entries<string[] | undefined>(types ?? {}).flatMap(([type, list]) =>
    (list ?? []).map((word): [string, TypeMeant] => [
      word.toLowerCase(),
      meant[type as keyof typeof meant],
    ]),
  );
  return {
    ...rest,
    ...(typeWords.length === 0
      ? {}
      : { words: new Map(typeWords), hasPresetWords: options.words === undefined }),
    ...(only === undefined ? {} : { only: new Map(Object.entries(only)) }),
    ...(Object.fromEntries(said) as LedgerImportOptions),
    mapping: { ...map, ...options.mapping },
    preset: undefined,
  };
}

/** A preset that matches a file. */
export interface Recognised {
  name: PresetName;
  preset: Preset;
}

/** Finds the preset whose columns occur in one of the first lines. */
export function recognised(beginning: string): Recognised | undefined {
  if (isOwnNdjson(beginning)) {
    return { name: 'lines', preset: { ...packaged('lines'), units: 'minor' } };
  }
  const lines = beginning.split(/\r\n|\n|\r/, HEAD_WITHIN);
  for (const name of presetNames) {
    const preset = packaged(name);
    for (const delimiter of [',', ';', '\t']) {
      const isHead = (line: string) => {
        // Most lines need not be split, which is slow for a wide line.
        if (preset.head?.every((column) => line.includes(column)) !== true) return false;
        const names = new Set(namesOf(line.replace(/^\uFEFF/, '').split(delimiter)));
        return preset.head.every((column) => names.has(column));
      };
      if (lines.some(isHead)) return { name, preset };
    }
  }
  return undefined;
}
