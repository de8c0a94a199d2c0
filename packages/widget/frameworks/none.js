// This entry point has types only, so there is no code to run.
export {};
