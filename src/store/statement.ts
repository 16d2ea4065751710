/** What a statement takes: values by name. */
export type Params = Record<string, string | number | null>
