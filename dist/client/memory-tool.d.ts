import type { Client } from './client.ts';
/** What a model asks of the memory tool `memory_20250818`. */
export type MemoryCommand = {
    command: 'view';
    path: string;
    view_range?: [number, number];
} | {
    command: 'create';
    path: string;
    file_text: string;
} | {
    command: 'str_replace';
    path: string;
    old_str: string;
    new_str?: string;
} | {
    command: 'insert';
    path: string;
    insert_line: number;
    insert_text: string;
} | {
    command: 'delete';
    path: string;
} | {
    command: 'rename';
    old_path: string;
    new_path: string;
};
export type MemoryTool = {
    /** Goes into the `tools` of a request. */
    definition: {
        type: 'memory_20250818';
        name: 'memory';
    };
    /** Does what the model asked and returns the text of the tool's result. What the model can put right is said to it, not thrown. */
    run(input: MemoryCommand | Record<string, unknown>): Promise<{
        text: string;
        isError: boolean;
    }>;
};
/**
 * The memory tool of the Messages API, with notes as its files: what a model writes is found by search, told in briefs, synced and can be
 * edited by a person, like any other note. Secrets are taken out before anything is kept.
 */
export declare function memoryTool(client: Pick<Client, 'notes'>, wish?: {
    project?: string;
}): MemoryTool;
