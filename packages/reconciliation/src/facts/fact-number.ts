/** The number of a fact in their sequence. */
export type FactNumber = number;
