/** The built-in scenarios of `<financing-prequalify>`, by the value of the attribute `scenario`. */
export const prequalifyScenarios = ['prequalified', 'pending', 'declined', 'not-found'] as const;

/** Name of a built-in scenario. */
export type PrequalifyScenarioName = (typeof prequalifyScenarios)[number];
