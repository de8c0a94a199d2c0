// Types only: there is nothing to run.
export {};
