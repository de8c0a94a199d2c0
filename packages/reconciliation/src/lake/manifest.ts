import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { errorCodeOf, LakeError } from './folder.ts';

/** Version of the files and the manifest. A lake of another version is completely rewritten. */
export const LAKE_VERSION = 1;

const whole = z.int().min(0);
const written = {
  /** Path in the lake, with slashes. */
  path: z.string().regex(/^(?:[A-Za-z0-9_=-]+\/){3}part-[0-9a-f]{16}\.parquet$/),
  sha256: z.string(),
  bytes: whole,
  rows: whole,
  /** Order-independent digest of the rows, for detecting changes. */
  digest: z.string(),
};

/** A file in the lake, and the data in it. Times are milliseconds since 1970. */
const fileSchema = z.discriminatedUnion('table', [
  z.object({
    table: z.literal('fundings'),
    day: z.string(),
    ...written,
    proof: z.object({
      /** Number of the last fact about the day. */
      fact: whole,
      /** `complete`, or why a later sync could not prove the day again. */
      state: z.string(),
      provenAt: whole,
      /** Digest of the proven records, as in a period's seal. */
      digest: z.string(),
    }),
  }),
  z.object({
    table: z.literal('orders'),
    day: z.string(),
    ...written,
    proof: z.object({
      /** Number of the last fact that the statuses include. */
      fact: whole,
      /** Whether all days were proven and the orders judged since. */
      complete: z.boolean(),
    }),
  }),
  z.object({
    table: z.literal('closed_amounts'),
    period: z.string(),
    ...written,
    proof: z.object({
      /** Position and hash of the seal, which contains this file's SHA-256. */
      seq: whole,
      seal: z.string(),
    }),
  }),
]);
export type LakeFile = z.infer<typeof fileSchema>;

/** Tables of the lake, which are its folders. */
export const lakeTables = ['fundings', 'orders', 'closed_amounts'] as const;

/** A partition of the lake. It has one file. */
export type LakePartition =
  | { table: 'fundings' | 'orders'; day: string }
  | { table: 'closed_amounts'; period: string };

/** Returns a partition's folders, with slashes. */
export function pathOf(partition: LakePartition, environment: string): string {
  const { table } = partition;
  const last =
    table === 'closed_amounts' ? `closed_period=${partition.period}` : `day=${partition.day}`;
  return `${table}/environment=${environment}/${last}`;
}

const manifestSchema = z.object({
  version: z.literal(LAKE_VERSION),
  environment: z.string(),
  /** Id of the record store. */
  store: z.string(),
  zone: z.string(),
  writtenAt: z.iso.datetime(),
  /** Number of the writer's lease. A later writer has a greater one. */
  fence: whole,
  /**
   * Whether all days are proven and the orders were judged since, and the policy and rules that were
   * used.
   */
  complete: z.boolean(),
  unprovenDays: whole,
  judgedAt: z.iso.datetime(),
  rules: z.string(),
  policy: z.string(),
  files: z.array(fileSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

export function manifestName(environment: string): string {
  return `manifest-${environment}.json`;
}

/** Reads the manifest; undefined if it is missing or for another version. @throws {LakeError} */
export async function readManifest(
  folder: string,
  environment: string,
): Promise<Manifest | undefined> {
  const path = join(folder, manifestName(environment));
  let content: string;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw LakeError.of(error);
  }
  const stated = parsed(content);
  if (stated === undefined) throw new LakeError('lake-unavailable', UNREADABLE);
  if (stated.version !== LAKE_VERSION) return undefined;
  const manifest = manifestSchema.safeParse(stated);
  if (!manifest.success) throw new LakeError('lake-unavailable', UNREADABLE);
  return manifest.data;
}

const UNREADABLE =
  'The manifest of the lake cannot be read. Remove it, and the next write makes all files anew.';

function parsed(content: string): { version: number } | undefined {
  try {
    return z.looseObject({ version: z.number() }).parse(JSON.parse(content));
  } catch {
    return undefined;
  }
}
