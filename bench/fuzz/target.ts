import type { Chance } from './chance.ts';

/** One operation of a target, as it is rightly asked. */
export interface TargetOperation {
  method: string;
  /** Path, `{}` where an id or another free text goes. */
  path: string;
  /** Names of its query parameters. */
  query?: readonly string[];
  /** A right body, to be spoiled. */
  body?: object;
  /** Instead of that, what makes one, right or wrong in ways of its own. */
  makeBody?: (chance: Chance) => object;
  /** Fields of a form, instead of a body. */
  form?: (chance: Chance) => Record<string, string>;
  /** Headers it needs besides Authorization, names and values by turns. */
  headers?: (chance: Chance) => string[];
}

/** A listener that is fuzzed. */
export interface Target {
  /** Of the process, whose memory is watched. */
  pid: number;
  host: string;
  port: number;
  /** PEM of its CA; without one it speaks plain HTTP. */
  ca?: string;
  /** Authorization header of a good request. */
  authorization: string;
  operations: readonly TargetOperation[];
  /** Texts that may be in no answer and no log line: keys, folders of this machine. */
  secrets: readonly string[];
  /** Lines it has printed since the last call. */
  takeOutput(): string[];
  /** Makes a good request. @returns what was wrong with the answer, or undefined */
  checkAlive(): Promise<string | undefined>;
  exited(): boolean;
  stop(): Promise<void>;
}

export interface TargetKind {
  start(): Promise<Target>;
}
