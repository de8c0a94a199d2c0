import type { Chance } from './chance.ts';

/** One operation of a target, with a valid request. */
export interface TargetOperation {
  method: string;
  /** Path with `{}` for an id or other free text. */
  path: string;
  /** Names of its query parameters. */
  query?: readonly string[];
  /** A valid body, which the fuzzer damages. */
  body?: object;
  /** Returns a body instead, valid or with specific errors. */
  makeBody?: (chance: Chance) => object;
  /** Form fields instead of a body. */
  form?: (chance: Chance) => Record<string, string>;
  /** Required headers other than Authorization, names and values in turn. */
  headers?: (chance: Chance) => string[];
}

/** A listener to fuzz. */
export interface Target {
  /** Id of the process, to measure its memory. */
  pid: number;
  host: string;
  port: number;
  /** PEM of its CA; undefined for plain HTTP. */
  ca?: string;
  /** Authorization header of a good request. */
  authorization: string;
  operations: readonly TargetOperation[];
  /** Strings that must be in no answer and no log line: keys, folders of this machine. */
  secrets: readonly string[];
  /** Returns the lines that it printed since the last call. */
  takeOutput(): string[];
  /** Sends a valid request. @returns the problem of the answer, or undefined */
  checkAlive(): Promise<string | undefined>;
  exited(): boolean;
  stop(): Promise<void>;
}

export interface TargetKind {
  start(): Promise<Target>;
}
