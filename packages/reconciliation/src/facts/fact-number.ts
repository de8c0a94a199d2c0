/** Position of a fact in the sequence of all facts. */
export type FactNumber = number;

/** Fencing token of a lease holder, which every write must present. */
export interface Fence {
  holder: string;
  /** Increases with each holder, so that writes with an older number are rejected. */
  number: number;
}
