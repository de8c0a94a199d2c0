import { readFileSync } from 'node:fs';
import type { LedgerPreset } from '@financing-checkout/contract/reconciliation';
import { type LedgerPresetName, ledgerPresetNames } from '@financing-checkout/contract/plain';
import { HEADER_WITHIN, namesOf } from './header-row.ts';
import type { LedgerImportOptions } from './options.ts';
import { isOwnNdjson } from './own-ndjson.ts';

const loaded = new Map<LedgerPresetName, LedgerPreset>();

/**
 * Returns a built-in preset. A test validates the preset files, so that a worker does not have to
 * load the schema library.
 */
export function packaged(name: LedgerPresetName): LedgerPreset {
  const known = loaded.get(name);
  if (known) return known;
  const file = new URL(`../../../presets/${name}.json`, import.meta.url);
  const preset = JSON.parse(readFileSync(file, 'utf8')) as LedgerPreset;
  loaded.set(name, preset);
  return preset;
}

/** Fills in options from a preset. */
export function withPreset(
  options: LedgerImportOptions,
  preset: LedgerPreset,
): LedgerImportOptions {
  const said = Object.entries(options).filter(([, value]) => value !== undefined);
  return {
    ...preset,
    ...(Object.fromEntries(said) as LedgerImportOptions),
    hasPresetTypes: preset.types !== undefined && options.types === undefined,
    map: { ...preset.map, ...options.map },
    preset: undefined,
  };
}

/** A preset that matches a file. */
export interface Recognized {
  name: LedgerPresetName;
  preset: LedgerPreset;
}

/** Finds the preset whose columns occur in one of the first lines. */
export function recognized(beginning: string): Recognized | undefined {
  if (isOwnNdjson(beginning)) {
    return { name: 'lines', preset: { ...packaged('lines'), units: 'minor' } };
  }
  const lines = beginning.split(/\r\n|\n|\r/, HEADER_WITHIN);
  for (const name of ledgerPresetNames) {
    const preset = packaged(name);
    for (const delimiter of [',', ';', '\t']) {
      const isHeader = (line: string) => {
        // Fast check first, because splitting a wide line is slow.
        if (preset.header?.every((column) => line.includes(column)) !== true) return false;
        const names = new Set(namesOf(line.replace(/^\uFEFF/, '').split(delimiter)));
        return preset.header.every((column) => names.has(column));
      };
      if (lines.some(isHeader)) return { name, preset };
    }
  }
  return undefined;
}
