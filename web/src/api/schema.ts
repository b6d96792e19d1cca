// Generated from the OpenAPI description by `npm run docs`.

export interface paths {
    "/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the tags
         * @description Returns all tags, ordered by name.
         */
        get: operations["listTags"];
        /**
         * Store several tags
         * @description Adds or replaces each tag by its name; stores all of them or none.
         */
        put: operations["putTags"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tags/{tagName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a tag
         * @description Returns the tag, or null if it does not exist.
         */
        get: operations["getTag"];
        /**
         * Store a tag
         * @description Adds the tag, or replaces the one with that name. Storing a deleted one restores it.
         */
        put: operations["putTag"];
        post?: never;
        /**
         * Delete a tag
         * @description Makes the tag inactive: it is no longer listed or usable in new entries, but still shown on old ones. No effect if it is inactive already.
         */
        delete: operations["deleteTag"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logbooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the logbooks
         * @description Returns all logbooks, ordered by name.
         */
        get: operations["listLogbooks"];
        /**
         * Store several logbooks
         * @description Adds or replaces each logbook by its name; stores all of them or none.
         */
        put: operations["putLogbooks"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logbooks/{logbookName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a logbook
         * @description Returns the logbook.
         */
        get: operations["getLogbook"];
        /**
         * Store a logbook
         * @description Adds the logbook, or replaces the one with that name. Storing a deleted one restores it.
         */
        put: operations["putLogbook"];
        post?: never;
        /**
         * Delete a logbook
         * @description Makes the logbook inactive: it is no longer listed or usable in new entries, but still shown on old ones. No effect if it is inactive already.
         */
        delete: operations["deleteLogbook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/levels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the levels
         * @description Returns all levels, ordered by name.
         */
        get: operations["listLevels"];
        /**
         * Store several levels
         * @description Adds or replaces each level by its name; stores all of them or none.
         */
        put: operations["putLevels"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/levels/{levelName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a level
         * @description Returns the level.
         */
        get: operations["getLevel"];
        /**
         * Store a level
         * @description Adds the level, or replaces the one with that name. Storing a deleted one restores it.
         */
        put: operations["putLevel"];
        post?: never;
        /**
         * Delete a level
         * @description Removes the level. Existing entries keep its name.
         */
        delete: operations["deleteLevel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/level/{levelName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a level
         * @description Returns the level.
         */
        get: operations["getLevelSingular"];
        /**
         * Store a level
         * @description Adds the level, or replaces the one with that name. Storing a deleted one restores it.
         */
        put: operations["putLevelSingular"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/properties": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the properties
         * @description Returns all properties, ordered by name.
         */
        get: operations["listProperties"];
        /**
         * Store several properties
         * @description Adds or replaces each property by its name; stores all of them or none.
         */
        put: operations["putProperties"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/properties/{propertyName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a property
         * @description Returns the property.
         */
        get: operations["getProperty"];
        /**
         * Store a property
         * @description Adds the property, or replaces the one with that name. Storing a deleted one restores it.
         */
        put: operations["putProperty"];
        post?: never;
        /**
         * Delete a property
         * @description Makes the property inactive: it is no longer listed or usable in new entries, but still shown on old ones. No effect if it is inactive already.
         */
        delete: operations["deleteProperty"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a device
         * @description Returns the value now, the entry of the directory, neighbours, alarms and saved values, as far as sources are configured. 404 `device.no-source` without any source, `device.not-found` for a name that does not match `deviceNames`.
         */
        get: operations["getDevice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{name}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the values of a device over time
         * @description From the archiver, in at most `points` samples. 404 `device.no-history` without an archiver, `device.not-found` for a name that does not match `deviceNames`. A range without values is not an error: see `problems`.
         */
        get: operations["getDeviceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/devices/{name}/alarms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the alarms of a device in a time
         * @description From the alarm logger. 404 `device.no-alarms` without one, `device.not-found` for a name that does not match `deviceNames`.
         */
        get: operations["getDeviceAlarms"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{logId}/snapshots/{snapshotId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare a snapshot with the values now
         * @description The snapshot must be named by a property `resource` of the entry, whose `file` is `file:/{snapshotId}?app=saveandrestore`. 404 `device.no-snapshot` for any other, `device.no-save-and-restore` when it is not configured.
         */
        get: operations["getSnapshot"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search, as a list
         * @description The matching entries of one page. All parameters must match; unknown ones are ignored.
         */
        get: operations["listEntries"];
        /**
         * Create an entry
         * @description Creates an entry without files, or with those of a draft; without `draft`, `attachments` in the body is ignored.
         */
        put: operations["createEntry"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{logId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an entry
         * @description Returns the current version. Its `ETag` can be sent as `If-Match` with an update. A browser, which prefers HTML to JSON, is redirected to the page of the entry.
         */
        get: operations["getEntry"];
        put?: never;
        /**
         * Update an entry
         * @description Replaces the entry and archives its previous version. Owner, creation date, events and group do not change; the attachments only with `draft`, as with a multipart update.
         */
        post: operations["updateEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/archived/{logId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the earlier versions of an entry
         * @description Returns the versions that edits replaced, newest first; none if the entry was never edited.
         */
        get: operations["getArchivedEntry"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{logId}/versions/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a version of an entry
         * @description Returns the version with this number: an earlier one, or the current one.
         */
        get: operations["getEntryVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Group entries
         * @description Links entries through the property `Log Entry Group`. If some of them already belong to a group, the others join it.
         */
        post: operations["groupEntries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/ungroup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Take entries out of their groups
         * @description Archives the previous version of each entry. Entries without a group stay as they are. 400 `group.is-reply`, and nothing changes, if one of them is a reply. Replies to the entries stay in the group.
         */
        post: operations["ungroupEntries"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/multipart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Create an entry with files
         * @description The file name of each `files` part must equal the `filename` of an attachment in `logEntry`.
         */
        put: operations["createEntryWithFiles"];
        /**
         * Update an entry and its files
         * @description Like an update without files, except that `attachments` in `logEntry` is the complete list afterwards: existing attachments by their ids, new ones with their files. Without that list the attachments do not change.
         */
        post: operations["updateEntryWithFiles"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{logId}/blocks/{sequence}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Append a block to a run
         * @description Appends text and values to an entry that was created with `run=true`. Readers and live clients see them immediately; no version is archived. The same block under the same number is stored once. 409 `run.missing-blocks` names in `nextSequence` the block to send first; 409 `run.block-taken`: another block has the number. 409 `run.block-removed`: the block was appended, and content of the entry was removed since.
         */
        put: operations["appendBlock"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{logId}/close": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a run
         * @description Ends a run, and archives the entry as it was until then, so a run has one archived version, however many blocks it has. Closing it again with the same status changes nothing.
         */
        post: operations["closeRun"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{logId}/blocks/{sequence}/multipart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Append a block with files to a run
         * @description Like an append without files. Each file becomes an attachment of the entry.
         */
        put: operations["appendBlockWithFiles"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{logId}/redaction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove content from all versions of an entry
         * @description Removes a text, title, values or files from an entry and from all of its earlier versions, for good, and puts a sentence with name, date and reason in their place. Backups that were made before keep it.
         */
        post: operations["redactEntry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/attachments/{logId}/{attachmentName}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of an entry
         * @description Finds the file by its name, including a file that an edit removed.
         */
        get: operations["getAttachmentByName"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/attachment/{attachmentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file
         * @description Finds the file by the id of the attachment.
         */
        get: operations["getAttachment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/attachments/{logId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add a file to an entry
         * @description Archives the previous version of the entry.
         */
        post: operations["addAttachment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/attachment/{attachmentId}/thumbnail": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a thumbnail of an image
         * @description Returns the image as WebP, scaled down to the size and turned upright, never larger than it is; for an animated image, its first frame. 404 for SVG, and for files that are not readable images.
         */
        get: operations["getThumbnail"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search, with the number of matches
         * @description The matching entries of one page, and the exact number of all matching entries.
         */
        get: operations["searchEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads/{groupId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the entries of a thread
         * @description The entries of a group, oldest first, in pages like those of a search. The list is empty for an unknown group, and if the reader may read none of its entries.
         */
        get: operations["getThread"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/{logId}/similar": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List similar entries
         * @description At most 10 entries whose meaning or devices are most similar to those of an entry, most similar first, among those that match the parameters. New entries and edits may count only after a few seconds.
         */
        get: operations["listSimilarEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/facets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count by logbook, tag, level, owner, device, property and time
         * @description Takes the parameters of the search, except those for pages.
         */
        get: operations["countEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/suggest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest values and words
         * @description Values that begin with a prefix, most frequent first. Only entries that the reader may read count.
         */
        get: operations["suggest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logs/rss": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Search, as an RSS feed
         * @description RSS 2.0 with the same parameters; newest first, by default the last 7 days, at most 100 entries. The status of a run is a category of the domain `run`. Send the `ETag` back as `If-None-Match`: while nothing has changed, the response is 304.
         */
        get: operations["feedEntries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/changes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Stream changes as Server-Sent Events
         * @description An endless stream with an event for each entry that is `created`, `edited` or `annotated` (it joined a group, received the values of its devices or the samples of a plot, or grew by a block), sent once the change can be read, in the order of the changes, including those with `notifyWsClients=false`. The `id` of an event is its position in the feed: a client that sends it in `Last-Event-ID` resumes there, however long ago that was, even if its access has been restricted since. For a reader who may not read all logbooks, the `id` is an opaque code, and `sequence` is null. The data is `{sequence, kind, entryId, version, date, entry}` with `entry` as it stands when the event is sent. Of successive annotations of an entry, only the last may be sent. With search parameters, only changes of matching entries are sent. An event `damaged` with `{sequence, kind}` stands for a change whose stored row is damaged, whatever entry it was about.
         */
        get: operations["streamChanges"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the templates
         * @description Returns all templates, ordered by name.
         */
        get: operations["listTemplates"];
        /**
         * Store a template
         * @description Adds a template, or replaces the one with the id in the body.
         */
        put: operations["putTemplate"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/templates/{logTemplateId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a template
         * @description Returns the template with this id.
         */
        get: operations["getTemplate"];
        put?: never;
        post?: never;
        /**
         * Delete a template
         * @description Deletes the template with this id.
         */
        delete: operations["deleteTemplate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/drafts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your drafts
         * @description Returns all drafts of the user, the last changed first, without their contents.
         */
        get: operations["listDrafts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/drafts/{draftId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a draft
         * @description Returns the content as it was stored. Drafts of other users are not found.
         */
        get: operations["getDraft"];
        /**
         * Store a draft
         * @description Stores any JSON up to the size of an entry, as a new draft or as the content of the one with this id, whose files stay. A user has at most 100 drafts; one that is not changed for 90 days is removed. To submit it, create or update an entry with `draft={id}`: the files are attached and the draft is removed.
         */
        put: operations["putDraft"];
        post?: never;
        /**
         * Delete a draft
         * @description Deletes the draft with its files.
         */
        delete: operations["deleteDraft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/drafts/{draftId}/attachments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the files of a draft
         * @description Returns the files in the order in which they were begun.
         */
        get: operations["listDraftFiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/drafts/{draftId}/attachments/{attachmentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask how much of a file has arrived
         * @description Returns the number of received bytes; if there are any, also in the header `Range: bytes=0-{last}`, so `HEAD` is enough to resume.
         */
        get: operations["getDraftFile"];
        /**
         * Send a file of a draft, or a part of it
         * @description The body is the file itself, of any content type. With `Content-Range: bytes {first}-{last}/{size}` it is the next part of the file; a part that begins at 0 restarts the file. After an interruption, ask how much has arrived, and continue there. Each part that was acknowledged stays. `Content-Range: bytes *\/{size}` without a body completes a file if the service stopped right after it stored the last part.
         */
        put: operations["putDraftFile"];
        post?: never;
        /**
         * Delete a file of a draft
         * @description Deletes the file, complete or not.
         */
        delete: operations["deleteDraftFile"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/drafts/{draftId}/attachments/{attachmentId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a file of a draft
         * @description Returns the content of a complete file.
         */
        get: operations["getDraftFileContent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sign in
         * @description Opens a session and sets its `SESSION` cookie.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current user
         * @description Returns the user of the session or of the Basic credentials.
         */
        get: operations["getUser"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Sign out
         * @description Ends the session, if there is one. A browser that follows a link from another site with GET gets a page that asks first. Programs, pages of the service and pages of an origin in `corsOrigins` are not asked. After a sign-in with OpenID Connect, a browser is redirected to the sign-out of the provider; a script gets its address as `signOutUrl`.
         */
        get: operations["logoutByGet"];
        put?: never;
        /**
         * Sign out
         * @description Ends the session, if there is one. A browser that follows a link from another site with GET gets a page that asks first. Programs, pages of the service and pages of an origin in `corsOrigins` are not asked. After a sign-in with OpenID Connect, a browser is redirected to the sign-out of the provider; a script gets its address as `signOutUrl`.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open sessions
         * @description Returns your sessions or, with `all`, those of all users: newest first, at most 1,000.
         */
        get: operations["listSessions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session
         * @description Ends one of your own sessions; administrators can end any session.
         */
        delete: operations["endSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens
         * @description Returns your tokens or, with `all`, those of all users: newest first, at most 1,000. The secrets are not included.
         */
        get: operations["listTokens"];
        put?: never;
        /**
         * Create a token
         * @description Creates a token for a program of yours, which sends it as `Authorization: Bearer`. Only this response contains it.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete the token of the request
         * @description Deletes the token that the request sends as `Authorization: Bearer`: how a program signs out.
         */
        delete: operations["deleteOwnToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete a token
         * @description Deletes one of your own tokens; administrators can delete any token.
         */
        delete: operations["deleteToken"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/oidc/device": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Begin a sign-in with a code
         * @description For programs without a browser: returns an address and a code. A person confirms them at the identity provider, and the program then receives a token of this person (device authorization grant, RFC 8628).
         */
        post: operations["beginDeviceSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login/oidc/device/token": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Finish a sign-in with a code
         * @description Returns the token once the person has confirmed. Repeat it while it responds with 202.
         */
        post: operations["pollDeviceSignIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the current user
         * @description Returns the user of the session or of the credentials and what the user may do; for a reader who is not signed in, with `userName` null. Wrong credentials are refused as everywhere.
         */
        get: operations["getMe"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get your settings
         * @description Returns the object that was stored last; an empty one if none was stored.
         */
        get: operations["getSettings"];
        /**
         * Store your settings
         * @description Replaces the whole object. The service stores it for clients, and does not read it.
         */
        put: operations["putSettings"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/searches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List saved searches
         * @description Returns the searches of the user and the shared ones of others, in the order in which they were saved.
         */
        get: operations["listSearches"];
        put?: never;
        /**
         * Save a search
         * @description A user has at most 100 saved searches. Sharing one shows its name and parameters to all users; each of them finds only what their own rights allow.
         */
        post: operations["addSearch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/searches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a saved search
         * @description Returns a search of the user, or a shared one.
         */
        get: operations["getSearch"];
        /**
         * Change a saved search
         * @description Replaces a search of the user.
         */
        put: operations["putSearch"];
        post?: never;
        /**
         * Delete a saved search
         * @description Deletes a search of the user, for all who see it.
         */
        delete: operations["deleteSearch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/inbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your inbox
         * @description Returns the changes that concern the user, newest first, without those of entries that the user may not read now. The newest 1,000 are kept.
         */
        get: operations["listInbox"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/inbox/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Mark items of your inbox as read
         * @description Returns the number of items that are unread afterwards.
         */
        post: operations["markInboxRead"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/watches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List your watches
         * @description Returns the watches of the user, in the order in which they were added.
         */
        get: operations["listWatches"];
        put?: never;
        /**
         * Watch a search, a thread, mentions or replies
         * @description Changes from now on that match reach the inbox of the user, except the user's own and those of entries that the user may not read. A user has at most 50 watches.
         */
        post: operations["addWatch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/watches/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Change a watch
         * @description Replaces a watch of the user.
         */
        put: operations["putWatch"];
        post?: never;
        /**
         * Delete a watch
         * @description Items that are in the inbox stay there.
         */
        delete: operations["deleteWatch"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/delivery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how your inbox is delivered
         * @description Returns the choice of the user; until there is one, nothing is sent.
         */
        get: operations["getInboxDelivery"];
        /**
         * Choose how your inbox is delivered
         * @description Mails are sent at least once and in order, those of a thread as one conversation. They leave out what the user may not read when they are sent. The same applies to messages in the chat. Without `chat`, the setting for chat messages stays as it is.
         */
        put: operations["putInboxDelivery"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/browsers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Show your inbox as notifications of a browser
         * @description Adds a browser, or replaces the one with the same endpoint; a user has at most 10. Messages are encrypted for the browser (RFC 8291), and sent at least once and in order. A browser whose push service answers 404 or 410 is removed; it may renew its subscription with `replaces`, and then gets the messages that were refused within the last hour.
         */
        put: operations["putPushBrowser"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/me/browsers/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Stop the notifications of a browser
         * @description Also succeeds if there is none with this id.
         */
        delete: operations["deletePushBrowser"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/unsubscribe/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Ask whether to stop mails
         * @description Changes nothing.
         */
        get: operations["askToUnsubscribe"];
        put?: never;
        /**
         * Stop mails
         * @description Turns off the mails to the user of the link.
         */
        post: operations["unsubscribe"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the audit records
         * @description Returns all sign-ins and all requests that wrote or tried to, newest first.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/access-rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the access rules
         * @description Returns the rules that the configuration sets. They are changed there, not through the API.
         */
        get: operations["getAccessRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscribers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the subscribers
         * @description Returns the progress and problems of each subscriber, without the full addresses and secrets of the targets.
         */
        get: operations["listSubscribers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscribers/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a subscriber
         * @description Removes the position and the dead letters of a subscriber that is no longer configured. If it is configured again, it begins after the newest change.
         */
        delete: operations["removeSubscriber"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscribers/{name}/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the dead letters of a subscriber
         * @description Deliveries that failed permanently, newest first.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subscribers/{name}/dead-letters/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a dead letter
         * @description Makes one more attempt soon, under the same delivery id. The dead letter is removed when it arrives; otherwise its reason is updated.
         */
        post: operations["retryDeadLetter"];
        /**
         * Delete a dead letter
         * @description The delivery is never sent again.
         */
        delete: operations["removeDeadLetter"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get information about the service
         * @description Returns the version of the service, the state of its backends and its limits.
         */
        get: operations["getWelcome"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/configuration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get levels, logbooks and tags
         * @description Returns the levels, logbooks and tags that an entry can have.
         */
        get: operations["getConfiguration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/help/{what}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a help page
         * @description Returns a page as HTML, or null if there is no page with that name.
         */
        get: operations["getHelp"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/bootstrap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get everything that a client starts with
         * @description Returns the catalogue, the names of the templates, limits and settings in one response, as far as the reader may see them. Its `ETag` changes when any of these do.
         */
        get: operations["getBootstrap"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * @description The body of every error.
         * @example {
         *       "timestamp": 1767225600000,
         *       "status": 404,
         *       "error": "Not Found",
         *       "code": "entry.not-found",
         *       "message": "Entry 7 not found.",
         *       "path": "/logbook/logs/7"
         *     }
         */
        Error: {
            /** @description Time of the error, in milliseconds since the epoch. */
            timestamp: number;
            /** @description The HTTP status. */
            status: number;
            /** @description The name of the status. */
            error: string;
            /** @description Stable code of the error, for programs. The operator documentation lists all codes. */
            code: string;
            /** @description What is wrong, and what to do. */
            message: string;
            /** @description Path of the request. */
            path: string;
            /** @description With a 5xx: identifies the error in the log of the service. */
            requestId?: string;
        };
        /**
         * @description A tag.
         * @example {
         *       "name": "alarm",
         *       "state": "Active"
         *     }
         */
        Tag: {
            /** @description Unique, case-sensitive. */
            name: string;
            /**
             * @description Inactive: deleted, but still shown where it is used.
             * @enum {string}
             */
            state: "Active" | "Inactive";
        };
        /**
         * @description A tag to store.
         * @example {
         *       "name": "alarm"
         *     }
         */
        TagInput: {
            /** @description Name; optional where the URL contains it. */
            name?: string | null;
            /**
             * @description Default Active.
             * @enum {unknown}
             */
            state?: "Active" | "Inactive" | null;
        };
        /**
         * @description A logbook.
         * @example {
         *       "name": "operations",
         *       "owner": "admin",
         *       "state": "Active"
         *     }
         */
        Logbook: {
            /** @description Unique, case-sensitive. */
            name: string;
            /** @description Owner of the logbook. */
            owner: string;
            /**
             * @description Inactive: deleted, but still shown where it is used.
             * @enum {string}
             */
            state: "Active" | "Inactive";
            /** @description Devices whose values its new entries receive, in addition to the devices that the entries name; absent: none. */
            devices?: string[];
        };
        /**
         * @description A logbook to store.
         * @example {
         *       "name": "operations",
         *       "owner": "admin"
         *     }
         */
        LogbookInput: {
            /** @description Name; optional where the URL contains it. */
            name?: string | null;
            /** @description Default: the current owner, or for a new one the user who sends the request. */
            owner?: string | null;
            /**
             * @description Default Active.
             * @enum {unknown}
             */
            state?: "Active" | "Inactive" | null;
            /** @description Devices whose values new entries receive. Absent or null: unchanged. */
            devices?: string[] | null;
        };
        /**
         * @description A level.
         * @example {
         *       "name": "Info",
         *       "defaultLevel": true
         *     }
         */
        Level: {
            /** @description Unique, case-sensitive. */
            name: string;
            /** @description Whether it is assigned to entries without a level. */
            defaultLevel: boolean;
        };
        /**
         * @description A level to store.
         * @example {
         *       "name": "Urgent",
         *       "defaultLevel": false
         *     }
         */
        LevelInput: {
            /** @description Name; optional where the URL contains it. */
            name?: string | null;
            /** @description At most one level can be the default. */
            defaultLevel?: boolean | null;
        };
        /**
         * @description A kind of searchable metadata.
         * @example {
         *       "name": "resource",
         *       "owner": "admin",
         *       "state": "Active",
         *       "attributes": [
         *         {
         *           "name": "name",
         *           "value": null,
         *           "state": "Active"
         *         }
         *       ]
         *     }
         */
        Property: {
            /** @description Unique, case-sensitive. */
            name: string;
            /** @description Owner of the property. */
            owner: string;
            /**
             * @description Inactive: deleted, but still shown where it is used.
             * @enum {string}
             */
            state: "Active" | "Inactive";
            /** @description Attributes that an entry can give a value. */
            attributes: {
                /** @description Unique within the property. */
                name: string;
                /** @description The value that clients propose in a new entry; null: none. */
                value: string | null;
                /**
                 * @description Inactive: deleted, but still shown where it is used.
                 * @enum {string}
                 */
                state: "Active" | "Inactive";
            }[];
        };
        /**
         * @description A property to store.
         * @example {
         *       "name": "resource",
         *       "attributes": [
         *         {
         *           "name": "name"
         *         }
         *       ]
         *     }
         */
        PropertyInput: {
            /** @description Name; optional where the URL contains it. */
            name?: string | null;
            /** @description Default: the current owner, or for a new one the user who sends the request. */
            owner?: string | null;
            /**
             * @description Default Active.
             * @enum {unknown}
             */
            state?: "Active" | "Inactive" | null;
            /** @description Attributes that an entry can give a value. */
            attributes?: {
                name: string;
                /** @description The value that clients propose in a new entry. */
                value?: string | number | boolean | null;
                /**
                 * @description Default Active.
                 * @enum {unknown}
                 */
                state?: "Active" | "Inactive" | null;
            }[] | null;
        };
        /** @description A file of an entry. */
        Attachment: {
            /** @description Unique id; the file is served at `attachment/{id}`. */
            id: string;
            /** @description File name. */
            filename: string;
            /** @description Description sent with the file; its media type if there was none. */
            fileMetadataDescription: string;
            /** @description Size in bytes. */
            size: number;
            /** @description Media type, detected from the content. */
            contentType: string;
            /** @description SHA-256 of the content, hexadecimal. */
            checksum: string;
            /** @description Size of an image as it is displayed, in pixels, if known. */
            width?: number;
            /** @description Size of an image as it is displayed, in pixels, if known. */
            height?: number;
        };
        /**
         * @description A log entry.
         * @example {
         *       "id": 42,
         *       "owner": "user",
         *       "source": "Quadrupole **tripped** at 03:12.",
         *       "description": "Quadrupole tripped at 03:12.",
         *       "title": "Magnet trip",
         *       "level": "Problem",
         *       "state": "Active",
         *       "createdDate": 1767225600000,
         *       "modifyDate": null,
         *       "modifiedBy": null,
         *       "events": [
         *         {
         *           "name": "trip",
         *           "instant": 1767225120000
         *         }
         *       ],
         *       "logbooks": [
         *         {
         *           "name": "operations",
         *           "owner": "admin",
         *           "state": "Active"
         *         }
         *       ],
         *       "tags": [
         *         {
         *           "name": "alarm",
         *           "state": "Active"
         *         }
         *       ],
         *       "properties": [
         *         {
         *           "name": "resource",
         *           "owner": "admin",
         *           "state": "Active",
         *           "attributes": [
         *             {
         *               "name": "name",
         *               "value": "SR:C03-MG:G02A{Quad:1}",
         *               "state": "Active"
         *             }
         *           ]
         *         }
         *       ],
         *       "attachments": [],
         *       "version": 1
         *     }
         */
        Entry: {
            /** @description Assigned by the service; increasing and never reused. */
            id: number;
            /** @description Display name of the owner at the time of creation; absent if it was not known. It does not identify the owner. */
            ownerName?: string;
            /** @description The user who created it. */
            owner: string;
            /** @description The text with its markup, as sent. */
            source: string;
            /** @description The text without markup. */
            description: string;
            /** @description The title. */
            title: string;
            /** @description Name of its level. */
            level: string;
            /** @description Time of creation, in milliseconds since the epoch. */
            createdDate: number;
            /** @description Time of the last edit, in milliseconds since the epoch; null if it was never edited. */
            modifyDate: number | null;
            /** @description The user who last edited it; null if it was never edited. */
            modifiedBy: string | null;
            /** @description The logbooks it is in. */
            logbooks: {
                name: string;
                owner: string;
                /**
                 * @description Inactive: deleted, but still shown where it is used.
                 * @enum {string}
                 */
                state: "Active" | "Inactive";
            }[];
            /** @description Its tags. */
            tags: {
                name: string;
                /**
                 * @description Inactive: deleted, but still shown where it is used.
                 * @enum {string}
                 */
                state: "Active" | "Inactive";
            }[];
            /** @description Its properties. The property `Log Entry Group` links grouped entries and replies. */
            properties: {
                name: string;
                owner: string;
                /**
                 * @description Inactive: deleted, but still shown where it is used.
                 * @enum {string}
                 */
                state: "Active" | "Inactive";
                attributes: {
                    name: string;
                    /** @description Null if null was sent. */
                    value: string | null;
                    /**
                     * @description Inactive: deleted, but still shown where it is used.
                     * @enum {string}
                     */
                    state: "Active" | "Inactive";
                    /** @description The value of a device that the service has added. Absent for other attributes and for long arrays. */
                    sample?: {
                        /** @description The value in full precision, as decimal numbers, `NaN`, `Infinity` or `-Infinity`; several for an array. */
                        numbers?: string[];
                        /** @description The value if it is a text, or the label of a state. */
                        text?: string;
                        /** @description Index of the state of an enumeration. */
                        index?: number;
                        units?: string;
                        /** @description Severity of the alarm, such as `NONE` or `MAJOR`. */
                        severity: string;
                        /** @description Time at which the device had the value, in milliseconds since the epoch. */
                        instant: number;
                    };
                }[];
            }[];
            /**
             * @description Inactive: deleted, but still shown where it is used.
             * @enum {string}
             */
            state: "Active" | "Inactive";
            /** @description Times of past events that the entry describes. Set at creation. */
            events: {
                name: string;
                /** @description Time of the event, in milliseconds since the epoch. */
                instant: number;
            }[];
            /** @description Its files. */
            attachments: components["schemas"]["Attachment"][];
            /** @description Device names that were recognised in it. */
            devices?: string[];
            /** @description State of the run that the entry records; absent if it records none. */
            run?: {
                /**
                 * @description `abandoned`: nothing was appended for a long time; an append continues the run.
                 * @enum {string}
                 */
                status: "running" | "done" | "failed" | "abandoned";
                /** @description Number of appended blocks; the next one has the next number. */
                blocks: number;
                /** @description When it was opened, or the last block was appended, in milliseconds since the epoch. */
                changedDate: number;
            };
            /**
             * @description Present if a token for automatic entries created it.
             * @enum {unknown}
             */
            automatic?: true;
            /** @description Number of the version: 1 if it was never edited. Replies and grouping are not edits. */
            version: number;
        };
        /**
         * @description A log entry to store. Fields that the service sets are accepted and ignored.
         * @example {
         *       "title": "Magnet trip",
         *       "description": "Quadrupole **tripped** at 03:12.",
         *       "level": "Problem",
         *       "logbooks": [
         *         {
         *           "name": "operations"
         *         }
         *       ],
         *       "tags": [
         *         {
         *           "name": "alarm"
         *         }
         *       ]
         *     }
         */
        EntryInput: {
            /** @description Id of the entry to update. Ignored at creation. */
            id?: number | string | null;
            /** @description The title. */
            title: string;
            /** @description The text with its markup. */
            source?: string | null;
            /** @description The text with its markup; used if `source` is absent or empty. */
            description?: string | null;
            /** @description Name of a level; default: the default level. */
            level?: string | null;
            /** @description Existing tags, by name. */
            tags?: {
                /** @description Its name. */
                name: string;
            }[] | null;
            /** @description Properties with the values of their attributes. */
            properties?: {
                /** @description Name of the property. */
                name: string;
                /** @description Values of its attributes. */
                attributes?: {
                    /** @description Name of the attribute. */
                    name: string;
                    /** @description Its value. A number or boolean is stored as its JSON text. */
                    value?: string | number | boolean | null;
                }[] | null;
            }[] | null;
            /** @description Existing logbooks, by name; at least one. */
            logbooks: {
                /** @description Its name. */
                name: string;
            }[];
            /** @description Times of past events that the entry describes. Ignored by updates. */
            events?: {
                /** @description Name of the event. */
                name: string;
                /** @description Time of the event, in milliseconds since the epoch. */
                instant: number;
            }[] | null;
            /** @description Files of the entry, for multipart requests. */
            attachments?: {
                /** @description Unique id, for example a UUID; default: a generated one. */
                id?: string | null;
                /** @description File name of the corresponding file part. */
                filename?: string | null;
                /** @description Description of the file. */
                fileMetadataDescription?: string | null;
            }[] | null;
        };
        /**
         * @description A page of entries.
         * @example {
         *       "hitCount": 1,
         *       "logs": [
         *         {
         *           "id": 42,
         *           "owner": "user",
         *           "source": "Quadrupole **tripped** at 03:12.",
         *           "description": "Quadrupole tripped at 03:12.",
         *           "title": "Magnet trip",
         *           "level": "Problem",
         *           "state": "Active",
         *           "createdDate": 1767225600000,
         *           "modifyDate": null,
         *           "modifiedBy": null,
         *           "events": [
         *             {
         *               "name": "trip",
         *               "instant": 1767225120000
         *             }
         *           ],
         *           "logbooks": [
         *             {
         *               "name": "operations",
         *               "owner": "admin",
         *               "state": "Active"
         *             }
         *           ],
         *           "tags": [
         *             {
         *               "name": "alarm",
         *               "state": "Active"
         *             }
         *           ],
         *           "properties": [
         *             {
         *               "name": "resource",
         *               "owner": "admin",
         *               "state": "Active",
         *               "attributes": [
         *                 {
         *                   "name": "name",
         *                   "value": "SR:C03-MG:G02A{Quad:1}",
         *                   "state": "Active"
         *                 }
         *               ]
         *             }
         *           ],
         *           "attachments": [],
         *           "version": 1
         *         }
         *       ]
         *     }
         */
        SearchResult: {
            /** @description Exact number of all matching entries. */
            hitCount: number;
            /** @description Entries of this page. */
            logs: components["schemas"]["Entry"][];
        };
        /**
         * @description A part of a run.
         * @example {
         *       "text": "Point 17",
         *       "values": [
         *         {
         *           "name": "motor",
         *           "value": 1.5
         *         }
         *       ]
         *     }
         */
        RunBlock: {
            /** @description Text with markup. */
            text?: string | null;
            /** @description Values, each of which becomes a line of the text. */
            values?: {
                /** @description Name of the value. */
                name: string;
                /** @description The value; a number or boolean is stored as its JSON text. */
                value?: string | number | boolean | null;
            }[];
        };
        /** @description A block that is stored. */
        AppendedBlock: {
            /** @description Id of the entry. */
            entryId: number;
            /** @description Number of the block. */
            sequence: number;
            /** @description Whether it had been appended before, and nothing was changed. */
            isRepeated: boolean;
            /** @description The number in the `ETag` of the entry after the append. */
            revision: number;
        };
        /**
         * @description The end of a run.
         * @example {
         *       "status": "done",
         *       "blocks": 17
         *     }
         */
        CloseRun: {
            /**
             * @description How it ended.
             * @enum {string}
             */
            status: "done" | "failed";
            /** @description Number of blocks that you sent: if some are missing, the run stays open. */
            blocks?: number;
        };
        /**
         * @description The content to remove from an entry.
         * @example {
         *       "reason": "It showed the password of a device.",
         *       "text": true
         *     }
         */
        RedactionInput: {
            /** @description Reason; shown in place of the content, with the name and the date. */
            reason: string;
            /**
             * @description Remove the title.
             * @default false
             */
            title: boolean;
            /**
             * @description Remove the text.
             * @default false
             */
            text: boolean;
            /**
             * @description Remove the values of all properties.
             * @default false
             */
            properties: boolean;
            /** @description The ids of attachments to remove. */
            attachments?: string[];
        };
        /** @description What was removed from an entry, by whom, when and why. */
        Redaction: {
            /** @description Increases with each redaction. */
            number: number;
            /** @description The entry. */
            entryId: number;
            /** @description User name of the administrator. */
            by: string;
            /** @description Why. */
            reason: string;
            /** @description When, in milliseconds since the epoch. */
            date: number;
        };
        /** @description The result of a redaction. */
        RedactionOutcome: {
            /** @description The redaction of the entry, and of each other entry that showed one of the files. */
            redactions: components["schemas"]["Redaction"][];
            /** @description The ids of entries that still show the content of a removed file, as another attachment. */
            sameContent: number[];
        };
        /** @description An entry with `view=list`, `highlight=true` or `group=thread`: these fields in addition to those of `Entry`, of which `view=list` leaves out `source` and `description`. */
        ViewedEntry: {
            /**
             * @description Id of the entry.
             * @example 42
             */
            id: number;
            /**
             * @description With `view=list` or `highlight=true`: the description around the first match, or its beginning; plain text on one line, at most 300 characters, with `…` where it is cut.
             * @example Quadrupole tripped at 03:12.
             */
            snippet?: string;
            /** @description With `highlight=true`: start and end of each match, in UTF-16 code units, the end not included; in order and without overlaps. */
            highlights?: {
                /**
                 * @description Matches in the title.
                 * @example [
                 *       [
                 *         0,
                 *         6
                 *       ]
                 *     ]
                 */
                title: number[][];
                /**
                 * @description Matches in the snippet.
                 * @example [
                 *       [
                 *         0,
                 *         6
                 *       ]
                 *     ]
                 */
                snippet: number[][];
            };
            /** @description The thread of the entry; null when it stands alone. Only entries that the reader may read are counted. */
            thread: {
                /** @description Id of the thread: the group of the entry. */
                id: string;
                /** @description Number of its entries; at least 2. */
                size: number;
                /** @description Position of the entry in the thread, by creation; 1 for the oldest. */
                position: number;
                /** @description Creation of its newest entry, in milliseconds since the epoch. */
                lastDate: number;
                /** @description Owner of its newest entry. */
                lastOwner: string;
            } | null;
        };
        /** @description A prepared entry. */
        Template: {
            /** @description Assigned by the service, unless the client chose one. */
            id: string;
            /** @description Unique, ignoring case. */
            name: string;
            /** @description The user who created it. */
            owner: string;
            /** @description The text with its markup, as sent. */
            source: string;
            /** @description The text without markup. */
            description: string;
            /** @description The title. */
            title: string;
            /** @description Name of its level. */
            level: string;
            /** @description Time of creation, in milliseconds since the epoch. */
            createdDate: number;
            /** @description Time of the last edit, in milliseconds since the epoch; null if it was never edited. */
            modifyDate: number | null;
            /** @description The user who last edited it; null if it was never edited. */
            modifiedBy: string | null;
            /** @description The logbooks it is in. */
            logbooks: {
                name: string;
                owner: string;
                /**
                 * @description Inactive: deleted, but still shown where it is used.
                 * @enum {string}
                 */
                state: "Active" | "Inactive";
            }[];
            /** @description Its tags. */
            tags: {
                name: string;
                /**
                 * @description Inactive: deleted, but still shown where it is used.
                 * @enum {string}
                 */
                state: "Active" | "Inactive";
            }[];
            /** @description Its properties. The property `Log Entry Group` links grouped entries and replies. */
            properties: {
                name: string;
                owner: string;
                /**
                 * @description Inactive: deleted, but still shown where it is used.
                 * @enum {string}
                 */
                state: "Active" | "Inactive";
                attributes: {
                    name: string;
                    /** @description Null if null was sent. */
                    value: string | null;
                    /**
                     * @description Inactive: deleted, but still shown where it is used.
                     * @enum {string}
                     */
                    state: "Active" | "Inactive";
                    /** @description The value of a device that the service has added. Absent for other attributes and for long arrays. */
                    sample?: {
                        /** @description The value in full precision, as decimal numbers, `NaN`, `Infinity` or `-Infinity`; several for an array. */
                        numbers?: string[];
                        /** @description The value if it is a text, or the label of a state. */
                        text?: string;
                        /** @description Index of the state of an enumeration. */
                        index?: number;
                        units?: string;
                        /** @description Severity of the alarm, such as `NONE` or `MAJOR`. */
                        severity: string;
                        /** @description Time at which the device had the value, in milliseconds since the epoch. */
                        instant: number;
                    };
                }[];
            }[];
        };
        /**
         * @description A template to store.
         * @example {
         *       "name": "Shift start",
         *       "title": "Shift start",
         *       "logbooks": [
         *         {
         *           "name": "operations"
         *         }
         *       ]
         *     }
         */
        TemplateInput: {
            /** @description Id of the template to replace; default: a new template. */
            id?: string | null;
            /** @description Unique, ignoring case; default: the title. */
            name?: string | null;
            /** @description The title. */
            title?: string | null;
            /** @description The text with its markup. */
            source?: string | null;
            /** @description The text with its markup; used if `source` is absent or empty. */
            description?: string | null;
            /** @description Name of a level; default: the default level. */
            level?: string | null;
            /** @description Existing tags, by name. */
            tags?: {
                /** @description Its name. */
                name: string;
            }[] | null;
            /** @description Properties with the values of their attributes. */
            properties?: {
                /** @description Name of the property. */
                name: string;
                /** @description Values of its attributes. */
                attributes?: {
                    /** @description Name of the attribute. */
                    name: string;
                    /** @description Its value. A number or boolean is stored as its JSON text. */
                    value?: string | number | boolean | null;
                }[] | null;
            }[] | null;
            /** @description Existing logbooks, by name. */
            logbooks?: {
                name: string;
            }[] | null;
        };
        /** @description Content that the user has not submitted yet. */
        Draft: {
            /** @description Its UUID. */
            id: string;
            /** @description The `title` of its content, shortened; null if it has none. */
            title: string | null;
            /** @description Time of the last change, in milliseconds since the epoch. */
            modifiedDate: number;
            /** @description When it is removed unless it is changed before, in milliseconds since the epoch. */
            expiresDate: number;
            /** @description Bytes of its content as JSON. */
            size: number;
            /** @description Number of its files, incomplete ones included. */
            attachments: number;
        };
        /** @description A file of a draft. */
        DraftFile: {
            /** @description Becomes the id of the attachment. */
            id: string;
            /** @description File name. */
            filename: string;
            /** @description Description; null: its media type. */
            fileMetadataDescription: string | null;
            /** @description Bytes of the whole file. */
            size: number;
            /** @description Number of bytes that have arrived. */
            received: number;
            /** @description Whether the file can be submitted. */
            complete: boolean;
            /** @description Media type; null until the file is complete. */
            contentType: string | null;
            /** @description SHA-256 of the content, hexadecimal; null until the file is complete. */
            checksum: string | null;
            /** @description Size of an image as it is displayed, in pixels, if known. */
            width?: number;
            /** @description Size of an image as it is displayed, in pixels, if known. */
            height?: number;
        };
        /**
         * @description The authenticated user.
         * @example {
         *       "userName": "admin",
         *       "roles": [
         *         "ADMIN"
         *       ]
         *     }
         */
        User: {
            /** @description The name that entries carry as owner. */
            userName: string;
            /** @description ADMIN, LOG, LOGBOOK, TAG, PROPERTY, USER. */
            roles: string[];
        };
        /**
         * @description Credentials.
         * @example {
         *       "username": "admin",
         *       "password": "adminPass"
         *     }
         */
        Login: {
            /** @description User name. */
            username: string;
            /** @description Password. */
            password: string;
        };
        /** @description An open session. */
        Session: {
            /** @description Identifies the session; not a credential. */
            id: string;
            /** @description The user who opened it. */
            userName: string;
            /** @description The address that it was opened from. */
            from: string;
            /** @description Time of sign-in, in milliseconds since the epoch. */
            createdDate: number;
            /** @description Time when it expires if it is not used before, in milliseconds since the epoch. */
            expiresDate: number;
        };
        /** @description A credential that a program uses in place of a password. */
        Token: {
            /** @description Identifies the token; not a credential. */
            id: string;
            /** @description Name chosen by the owner. */
            name: string;
            /** @description The owner. */
            userName: string;
            /** @description What the token permits besides reading. */
            rights: string[];
            /** @description Whether the entries that it creates are marked as automatic. */
            isAutomatic: boolean;
            /** @description Time of creation, in milliseconds since the epoch. */
            createdDate: number;
            /** @description Time when it expires, in milliseconds since the epoch. */
            expiresDate: number;
            /** @description The token itself; only in the response to the request that creates it. */
            token?: string;
        };
        /**
         * @description A token to create.
         * @example {
         *       "name": "shift summary script",
         *       "rights": [
         *         "entries"
         *       ],
         *       "days": 90
         *     }
         */
        TokenInput: {
            /** @description Purpose of the token. */
            name: string;
            /**
             * @description What the token permits besides reading; never more than its owner may do.
             * @default []
             */
            rights: ("entries" | "templates" | "logbooks" | "tags" | "properties" | "levels" | "admin")[];
            /** @description Whether to mark the entries that it creates as `automatic`. */
            isAutomatic?: boolean;
            /**
             * @description Validity period in days.
             * @default 90
             */
            days: number;
        };
        /**
         * @description A sign-in to begin, and the token with which it ends.
         * @example {
         *       "name": "command line on console7",
         *       "rights": [
         *         "entries"
         *       ],
         *       "days": 30
         *     }
         */
        DeviceSignInInput: {
            /** @description Purpose of the token, such as the program and its computer. */
            name: string;
            /**
             * @description What the token permits besides reading; never more than its owner may do.
             * @default [
             *       "entries"
             *     ]
             */
            rights: ("entries" | "templates" | "logbooks" | "tags" | "properties" | "levels")[];
            /**
             * @description Validity period in days.
             * @default 30
             */
            days: number;
        };
        /** @description A sign-in that a person must confirm in a browser. */
        DeviceSignIn: {
            /** @description Identifies the sign-in. Secret: only the program that began it polls with it. */
            handle: string;
            /** @description The code to show, which the person compares or enters. */
            userCode: string;
            /** @description The page of the identity provider to show. */
            verificationUri: string;
            /** @description The same page with the code filled in. */
            verificationUriComplete?: string;
            /** @description Seconds until the sign-in expires. */
            expiresIn: number;
            /** @description Minimum number of seconds between two polls. */
            interval: number;
        };
        /** @description The sign-in to ask about. */
        DevicePoll: {
            /** @description The `handle` of the sign-in. */
            handle: string;
        };
        /** @description A sign-in that has not been confirmed yet. */
        DevicePending: {
            /** @description Minimum number of seconds until the next poll; longer than before if the last one was too early. */
            interval: number;
        };
        /**
         * @description The current user and what the user may do.
         * @example {
         *       "userName": "user",
         *       "displayName": null,
         *       "roles": [
         *         "USER"
         *       ],
         *       "permissions": [
         *         "entries",
         *         "templates"
         *       ],
         *       "logbooks": [
         *         {
         *           "name": "operations",
         *           "read": true,
         *           "write": true
         *         }
         *       ],
         *       "session": {
         *         "expiresDate": 1767225600000
         *       },
         *       "signIn": {
         *         "password": true,
         *         "oidc": false
         *       }
         *     }
         */
        Me: {
            /** @description The name that entries carry as owner; null: not signed in. */
            userName: string | null;
            /** @description The display name; null if the directory has none. */
            displayName: string | null;
            /** @description ADMIN, LOG, LOGBOOK, TAG, PROPERTY, USER. */
            roles: string[];
            /** @description What the request may do besides reading: entries, templates, logbooks, tags, properties, levels, admin. With a token, also limited to its rights. */
            permissions: string[];
            /** @description The active logbooks that may be read, ordered by name; others are left out. */
            logbooks: {
                name: string;
                read: boolean;
                /** @description Whether entries of the logbook may be written. */
                write: boolean;
            }[];
            /** @description When the session expires unless it is used before, in milliseconds since the epoch; null without a session. This request does not extend it. */
            session: {
                expiresDate: number;
            } | null;
            /** @description The ways to sign in: with a password, and with OpenID Connect at `login/oidc`. */
            signIn: {
                password: boolean;
                oidc: boolean;
                /** @description The users whose passwords are public, while nobody else can sign in. */
                evaluationUsers?: {
                    userName: string;
                    password: string;
                }[];
            };
        };
        /** @description A saved search. */
        SavedSearch: {
            /** @description Assigned by the service. */
            id: string;
            /** @description Its name. */
            name: string;
            /** @description The parameters of the search, as in the URL of `GET /logs/search`. */
            query: string;
            /** @description Whether all signed-in users see it. */
            shared: boolean;
            /** @description The user who saved it. */
            owner: string;
            /** @description The display name of the owner, if it is known. */
            ownerName?: string;
            /** @description Whether it belongs to the current user, who alone may change it. */
            own: boolean;
        };
        /**
         * @description A search to save.
         * @example {
         *       "name": "Trips of this week",
         *       "query": "text=trip&start=1 week",
         *       "shared": false
         *     }
         */
        SavedSearchInput: {
            /** @description Its name. */
            name: string;
            /** @description The parameters of the search, as in the URL of `GET /logs/search`. */
            query: string;
            /** @description Default: false. */
            shared?: boolean;
        };
        /** @description A rule by which changes reach the inbox of a user. */
        Watch: {
            /** @description Assigned by the service. */
            id: string;
            /**
             * @description search: entries that match `query`; thread: entries of the thread of `entryId`; mentions: entries with your user name after `@`; replies: replies to your entries.
             * @enum {string}
             */
            kind: "search" | "thread" | "mentions" | "replies";
            /** @description A name for a search; empty for the other kinds. */
            name: string;
            /** @description For a search: its parameters, as in the URL of `GET /logs/search`. */
            query?: string;
            /** @description For a thread: the id of one of its entries. */
            entryId?: number;
            /** @description Whether edits count in addition to new entries. Has no effect for mentions (new entries, and edits that add one) or replies (new entries). */
            edits: boolean;
            /** @description Number of its unread items in the inbox. */
            unread: number;
        };
        /**
         * @description A rule to store.
         * @example {
         *       "kind": "search",
         *       "name": "Trips of the injector",
         *       "query": "text=trip&logbooks=injector"
         *     }
         */
        WatchInput: {
            /**
             * @description search: entries that match `query`; thread: entries of the thread of `entryId`; mentions: entries with your user name after `@`; replies: replies to your entries.
             * @enum {string}
             */
            kind: "search" | "thread" | "mentions" | "replies";
            /** @description A name for a search; empty for the other kinds. */
            name?: string;
            /** @description For a search: its parameters, as in the URL of `GET /logs/search`. */
            query?: string;
            /** @description For a thread: the id of one of its entries. */
            entryId?: number;
            /** @description Whether edits count in addition to new entries. Has no effect for mentions (new entries, and edits that add one) or replies (new entries). */
            edits?: boolean;
        };
        /** @description A change that concerns a user. */
        InboxItem: {
            /** @description Increases with each item. */
            id: number;
            /**
             * @description Whether the entry was created or edited.
             * @enum {string}
             */
            change: "created" | "edited";
            /** @description When it was changed, in milliseconds since the epoch. */
            date: number;
            /** @description Whether the user has read it. */
            read: boolean;
            /** @description The watches that it matched then, which may have been deleted since. */
            reasons: {
                watchId: string;
                /**
                 * @description search: entries that match `query`; thread: entries of the thread of `entryId`; mentions: entries with your user name after `@`; replies: replies to your entries.
                 * @enum {string}
                 */
                kind: "search" | "thread" | "mentions" | "replies";
            }[];
            /** @description The entry as it is now. */
            entry: {
                id: number;
                title: string;
                level: string;
                owner: string;
                ownerName?: string;
                logbooks: string[];
            };
        };
        /** @description A browser that shows new items of the inbox as notifications. */
        PushBrowser: {
            /** @description Stays the same for the same endpoint, and for an endpoint that replaces it. */
            id: string;
            /**
             * @description Shown to its user.
             * @example Firefox on Linux
             */
            name: string;
        };
        /** @description How items of the inbox reach their user outside of the service. */
        InboxDelivery: {
            /** @description Whether new items of the inbox are mailed to the user. */
            mail: boolean;
            /** @description Whether new items of the inbox are sent to the user in the chat. */
            chat: boolean;
            /** @description The quiet hours; null: none. */
            quiet: {
                /**
                 * @description When they begin.
                 * @example 22:00
                 */
                from: string;
                /**
                 * @description When they end, perhaps on the next day.
                 * @example 22:00
                 */
                to: string;
                /**
                 * @description IANA time zone of both times.
                 * @example Europe/Berlin
                 */
                zone: string;
            } | null;
            /** @description The address that the user directory gave at the last sign-in; null: none. */
            mailAddress: string | null;
            /** @description Browsers that show notifications. */
            browsers: components["schemas"]["PushBrowser"][];
            /** @description The `applicationServerKey` with which a browser subscribes; null: notifications are not offered. */
            pushKey: string | null;
            /** @description The name under which the user gets messages in the chat; null: they are not offered. */
            chatRecipient: string | null;
            /** @description Whether the service can send mails to users. */
            isMailOffered: boolean;
        };
        /** @description An action that was performed or attempted. */
        AuditRecord: {
            /** @description Increases with each record. */
            id: number;
            /** @description Time of the action, in milliseconds since the epoch. */
            date: number;
            /** @description The user; for a failed sign-in the name that was sent. */
            userName: string;
            /** @description `sign-in`, `token`, or the method and route of a request that writes. */
            action: string;
            /** @description The object of the action. */
            target: string;
            /** @description The client address. */
            from: string;
            /**
             * @description done; refused: not permitted or not valid; failed: an error of the service.
             * @enum {string}
             */
            outcome: "done" | "refused" | "failed";
            /** @description The error code, if there was an error. */
            detail: string;
        };
        /**
         * @description Who may read and write. Administrators may read and write everything.
         * @example {
         *       "permissions": "signed-in",
         *       "readsRequireSignIn": false,
         *       "logbooks": [
         *         {
         *           "name": "safety",
         *           "read": [
         *             "safety-team",
         *             "user:jane"
         *           ],
         *           "write": [
         *             "safety-team"
         *           ]
         *         }
         *       ]
         *     }
         */
        AccessRules: {
            /**
             * @description The setting `permissions`: whether every signed-in user may write, or only those with a role.
             * @enum {string}
             */
            permissions: "signed-in" | "roles";
            /** @description Whether reading requires sign-in. */
            readsRequireSignIn: boolean;
            /** @description The logbooks that are restricted; all others are open. */
            logbooks: {
                /** @description Name of the logbook with its case folded, as rules are compared. */
                name: string;
                /** @description Who may read it: names of groups, `user:NAME`, or `signed-in` for every signed-in user; null: no restriction. */
                read: string[] | null;
                /** @description Who may write to it, of those who may read it: names of groups, `user:NAME`, or `signed-in` for every signed-in user; null: no restriction. */
                write: string[] | null;
            }[];
        };
        /** @description An external recipient of changes. */
        Subscriber: {
            /** @description Its name in the configuration. */
            name: string;
            /** @description webhook, email or chat; user: a user whose inbox is mailed; empty when it is no longer configured. */
            kind: string;
            /** @description Where changes are delivered to, without secrets; empty when it is no longer configured. */
            target: string;
            /**
             * @description idle: no delivery is pending, though changes may be waiting for the end of the batch window; delivering: an attempt is under way; waiting: the next attempt is not due yet; other-node: another node delivers; not-configured: only its position is stored.
             * @enum {string}
             */
            status: "idle" | "delivering" | "waiting" | "other-node" | "not-configured";
            /** @description All changes up to here are delivered or do not match: a position in the feed. */
            sequence: number;
            /** @description Number of changes after that position; 100,000 stands for any larger number. */
            lag: number;
            /** @description When the subscriber was created, in milliseconds since the epoch. */
            createdDate: number;
            /** @description When a delivery last arrived, in milliseconds since the epoch; null: never. */
            lastSuccessDate: number | null;
            /** @description When an attempt last failed, in milliseconds since the epoch; null: never. */
            lastErrorDate: number | null;
            /** @description Why the last failed attempt failed; empty: none has failed. */
            lastError: string;
            /** @description Null: no delivery is pending. */
            pending: {
                /** @description The id that the receiver sees: the same for every attempt. */
                deliveryId: string;
                sequences: number[];
                /** @description Number of attempts so far. */
                attempts: number;
                /** @description When the next attempt is due, in milliseconds since the epoch. */
                nextAttemptDate: number;
            } | null;
            /** @description Number of failed deliveries to single recipients, each of which is retried separately. */
            deferred: number;
            /** @description Number of deliveries that failed permanently. */
            deadLetters: number;
            /** @description Number of dead letters that were dropped, the oldest first, because there were too many. */
            droppedDeadLetters: number;
        };
        /** @description A delivery that failed permanently. */
        DeadLetter: {
            /** @description Increases with each dead letter. */
            id: number;
            /** @description The id that the receiver sees: the same for every attempt. */
            deliveryId: string;
            /** @description The recipient of an e-mail for which it failed; null: all recipients of the delivery. */
            recipient: string | null;
            /** @description The changes in the delivery. */
            changes: {
                /** @description The change: a position in the feed. */
                sequence: number;
                /** @description created, edited or annotated. */
                kind: string;
                /** @description Id of the entry. */
                entryId: number;
            }[];
            /** @description Number of attempts so far. */
            attempts: number;
            /** @description Why the last attempt failed. */
            reason: string;
            /** @description When the last attempt failed, in milliseconds since the epoch. */
            date: number;
            /** @description Whether one more attempt is about to be made. */
            retryRequested: boolean;
        };
        /** @description The service and the state of its backends. */
        Welcome: {
            /** @description Name of the service. */
            name: string;
            /** @description Version of the service. */
            version: string;
            /** @description The search index backend. */
            searchIndex: {
                /** @description `Connected`, or the reason why it is not. */
                status: string;
                clusterName: string;
                clusterUuid: string;
                version: string;
                searchIndexHost: string;
                searchIndexPort: string;
                /** @description The kind of the search index, and its servers with their states. */
                backend: string;
            };
            /** @description The document store backend and its state. */
            documentStore: string;
            /** @description The store of attachment files and its state. */
            attachmentStore: string;
            /** @description Limits, in megabytes. */
            serverConfig: {
                maxFileSize: number;
                maxRequestSize: number;
            };
        };
        /** @description The levels, logbooks and tags that an entry can have. */
        Configuration: {
            /** @description Names of the levels, the default level first. */
            levels: string[];
            /** @description The active logbooks. */
            logbooks: components["schemas"]["Logbook"][];
            /** @description The active tags. */
            tags: components["schemas"]["Tag"][];
        };
        /** @description Everything with which a client fills its forms. */
        Bootstrap: {
            /** @description Version of the service. */
            version: string;
            /** @description IANA time zone of times in searches that name none. */
            timeZone: string;
            /** @description The shifts of a day, as the setting `shifts` lists them. */
            shifts: {
                name: string;
                /** @description Time of the day in `timeZone`, such as `07:00`. */
                start: string;
            }[];
            /** @description Languages of the help pages. */
            languages: string[];
            /** @description The configured sources of the control system: live, history, directory, alarms, snapshots. */
            deviceSources: string[];
            /** @description Always true. In version 1.0, false with OpenSearch, which did not find entries by meaning. */
            hasMeaning: boolean;
            /** @description Limits beyond which a request is refused; a page larger than `maxPageSize` is reduced to it. */
            limits: {
                /** @description Bytes of one file. */
                maxFileSize: number;
                /** @description Bytes of one request with all its files. */
                maxRequestSize: number;
                /** @description Bytes of an entry as JSON without its files, and of any other JSON body. */
                maxEntrySize: number;
                /** @description UTF-16 code units of a title. */
                maxTitleLength: number;
                /** @description UTF-16 code units of the name of a level, property, attribute or event. */
                maxNameLength: number;
                /** @description UTF-16 code units of the value of an attribute. */
                maxAttributeValueLength: number;
                /** @description Logbooks of one entry. */
                maxLogbooks: number;
                /** @description Tags of one entry. */
                maxTags: number;
                /** @description Properties of one entry. */
                maxProperties: number;
                /** @description Attributes of all properties of one entry. */
                maxAttributes: number;
                /** @description Events of one entry. */
                maxEvents: number;
                /** @description Attachments of one entry. */
                maxAttachments: number;
                /** @description Drafts of one user. */
                maxDrafts: number;
                /** @description Bytes of the files of all drafts of one user. */
                maxDraftFilesSize: number;
                /** @description Entries of one page of a search. */
                maxPageSize: number;
            };
            configuration: components["schemas"]["Configuration"];
            /** @description The level of entries that name none. */
            defaultLevel: string;
            /** @description The active properties. */
            properties: components["schemas"]["Property"][];
            /** @description The templates that may be read. */
            templates: {
                id: string;
                name: string;
            }[];
        };
    };
    responses: {
        /** @description The request is invalid; nothing was changed. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Credentials are missing, malformed or wrong. */
        Unauthorized: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The user is signed in, but not permitted to do this. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The requested resource does not exist. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Nothing of the body arrived for 30 seconds; nothing was stored. */
        RequestTimeout: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An id is already taken, the object to delete is in use, or a list has reached its limit. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request or a file is larger than configured; the message names the limit. */
        PayloadTooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The operation does not support this content type. */
        UnsupportedMediaType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The requested range is outside the file. */
        RangeNotSatisfiable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Idempotency-Key` belongs to another request; nothing was changed. */
        UnprocessableEntity: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description One client has too many requests waiting, bodies arriving, failed sign-ins or live connections; `Retry-After` says how long to wait. */
        TooManyRequests: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Internal error of the service. */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The storage or the search index is temporarily unavailable. */
        ServiceUnavailable: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The disk is full or nearly full; nothing was stored. */
        InsufficientStorage: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listTags: {
        parameters: {
            query?: {
                /** @description Whether to include inactive tags. Default: `false`. */
                inactive?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tags. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putTags: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The tags to store. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagInput"][];
            };
        };
        responses: {
            /** @description The tags. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getTag: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the tag. */
                tagName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tag or null. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"] | null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the tag. */
                tagName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TagInput"];
            };
        };
        responses: {
            /** @description The tag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Tag"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteTag: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the tag. */
                tagName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tag was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listLogbooks: {
        parameters: {
            query?: {
                /** @description Whether to include inactive logbooks. Default: `false`. */
                inactive?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logbooks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logbook"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putLogbooks: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The logbooks to store. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogbookInput"][];
            };
        };
        responses: {
            /** @description The logbooks. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logbook"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getLogbook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the logbook. */
                logbookName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logbook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logbook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putLogbook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the logbook. */
                logbookName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LogbookInput"];
            };
        };
        responses: {
            /** @description The logbook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Logbook"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteLogbook: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the logbook. */
                logbookName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The logbook was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listLevels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The levels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Level"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putLevels: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The levels to store. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["LevelInput"][];
            };
        };
        responses: {
            /** @description The levels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Level"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getLevel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the level. */
                levelName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The level. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Level"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putLevel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the level. */
                levelName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LevelInput"];
            };
        };
        responses: {
            /** @description The level. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Level"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteLevel: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the level. */
                levelName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The level was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getLevelSingular: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the level. */
                levelName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The level. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Level"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putLevelSingular: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the level. */
                levelName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LevelInput"];
            };
        };
        responses: {
            /** @description The level. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Level"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listProperties: {
        parameters: {
            query?: {
                /** @description Whether to include inactive properties. Default: `false`. */
                inactive?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The properties. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Property"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putProperties: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The properties to store. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["PropertyInput"][];
            };
        };
        responses: {
            /** @description The properties. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Property"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getProperty: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the property. */
                propertyName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The property. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Property"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putProperty: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the property. */
                propertyName: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PropertyInput"];
            };
        };
        responses: {
            /** @description The property. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Property"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteProperty: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Name of the property. */
                propertyName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The property was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getDevice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the device, percent-encoded in the path. Example: `SR:C03-MG:G02A{Quad:1}I`. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A device as the sources of the control system know it. Contains nothing from entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example SR:C03-MG:G02A{Quad:1}I */
                        name: string;
                        /** @description The configured sources: live, history, directory, alarms, snapshots. */
                        sources: string[];
                        /** @description The value now; null: no source, or see `problems`. */
                        current: {
                            /**
                             * @description Kind of the value. An enumeration has the index of a state as its number.
                             * @enum {string}
                             */
                            kind: "number" | "enum" | "text" | "array";
                            /**
                             * @description The number; null: none, or not finite.
                             * @example 401.23
                             */
                            value: number | null;
                            /**
                             * @description The value with its units as people read it.
                             * @example 401.2 mA
                             */
                            text: string;
                            /**
                             * @description Alarm severity; `NONE`: no alarm.
                             * @enum {string}
                             */
                            severity: "NONE" | "MINOR" | "MAJOR" | "INVALID" | "UNDEFINED";
                            /**
                             * @description Milliseconds since the epoch.
                             * @example 1764104400500
                             */
                            at: number;
                            /**
                             * @description Units; null: none or unknown.
                             * @example mA
                             */
                            units: string | null;
                            /**
                             * @description Number of decimals to show; null: unknown.
                             * @example 2
                             */
                            precision: number | null;
                            /**
                             * @description Names of the states of an enumeration, by their index; null: not an enumeration, or unknown.
                             * @example [
                             *       "Closed",
                             *       "Open"
                             *     ]
                             */
                            states: string[] | null;
                            /** @description Limits of the device; null: none or unknown. */
                            limits: {
                                /**
                                 * @description Lower end of the usual axis.
                                 * @example 0
                                 */
                                displayLow: number | null;
                                /**
                                 * @description Upper end of the usual axis.
                                 * @example 500
                                 */
                                displayHigh: number | null;
                                /**
                                 * @description Below: major alarm.
                                 * @example 1
                                 */
                                alarmLow: number | null;
                                /**
                                 * @description Below: minor alarm.
                                 * @example 10
                                 */
                                warningLow: number | null;
                                /**
                                 * @description Above: minor alarm.
                                 * @example 450
                                 */
                                warningHigh: number | null;
                                /**
                                 * @description Above: major alarm.
                                 * @example 490
                                 */
                                alarmHigh: number | null;
                            };
                        } | null;
                        /** @description The entry of the directory; null: no source, or see `problems`. */
                        channel: {
                            /** @example recceiver */
                            owner: string;
                            properties: {
                                /** @example iocName */
                                name: string;
                                /** @example SR-MG-IOC3 */
                                value: string;
                            }[];
                            tags: string[];
                        } | null;
                        /** @description Names with the same prefix from the directory, at most 50. */
                        neighbours: string[];
                        /** @description The latest alarms, newest first, at most 20. */
                        alarms: {
                            /**
                             * @description Milliseconds since the epoch; null: unknown.
                             * @example 1764104400500
                             */
                            at: number | null;
                            /**
                             * @description Severity of the alarm, which stays until it is acknowledged.
                             * @example MAJOR
                             */
                            severity: string;
                            /** @example HIHI_ALARM */
                            message: string;
                            /**
                             * @description Severity of the value.
                             * @example NONE
                             */
                            currentSeverity: string;
                            /** @example 3e-6 */
                            value: string;
                        }[];
                        /** @description Whether earlier alarms are left out. */
                        areAlarmsCut: boolean;
                        /** @description Saved values, newest first, at most 10. */
                        snapshots: {
                            /** @example 8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1 */
                            id: string;
                            /** @example Before shutdown */
                            name: string;
                            /**
                             * @description Milliseconds since the epoch.
                             * @example 1764104400500
                             */
                            at: number;
                            /**
                             * @description The saved value.
                             * @example 401.2 mA
                             */
                            value: string;
                        }[];
                        /** @description Whether there may be more saved values, including newer ones. */
                        areSnapshotsCut: boolean;
                        /** @description The missing data and the reason. */
                        problems: {
                            /**
                             * @description The source that lacks something.
                             * @enum {string}
                             */
                            source: "live" | "history" | "directory" | "alarms" | "snapshots";
                            /**
                             * @description `unknown`: the source does not have the device; `empty`: it has no value of the device for this time; `unavailable`: it does not answer, ask again later; `unreadable`: it sent something that is not a value.
                             * @enum {string}
                             */
                            code: "unknown" | "empty" | "unavailable" | "unreadable";
                            /**
                             * @description Part of a sentence in English.
                             * @example no answer within 10 s
                             */
                            reason: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDeviceHistory: {
        parameters: {
            query?: {
                /** @description Start, as in searches; default one hour before `end`. Example: `1764100800000`. */
                start?: string;
                /** @description End, as in searches; default now. Example: `1764104400000`. */
                end?: string;
                /** @description Maximum number of samples. If there are more, they are binned. Default: `1000`. */
                points?: number;
            };
            header?: never;
            path: {
                /** @description Name of the device, percent-encoded in the path. Example: `SR:C03-MG:G02A{Quad:1}I`. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Values of a device over time. Contains nothing from entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example SR:C03-MG:G02A{Quad:1}I */
                        name: string;
                        /**
                         * @description Milliseconds since the epoch.
                         * @example 1764104400500
                         */
                        start: number;
                        /**
                         * @description Milliseconds since the epoch.
                         * @example 1764104400500
                         */
                        end: number;
                        /**
                         * @description Kind of the value. An enumeration has the index of a state as its number.
                         * @enum {string}
                         */
                        kind: "number" | "enum" | "text" | "array";
                        /** @description Whether each sample is the mean of an interval; `min` and `max` are its extremes. */
                        isBinned: boolean;
                        /** @description Whether samples at the end are left out: there are more than `points`. */
                        isCut: boolean;
                        /**
                         * @description Units; null: none or unknown.
                         * @example mA
                         */
                        units: string | null;
                        /**
                         * @description Number of decimals to show; null: unknown.
                         * @example 2
                         */
                        precision: number | null;
                        /**
                         * @description Names of the states of an enumeration, by their index; null: not an enumeration, or unknown.
                         * @example [
                         *       "Closed",
                         *       "Open"
                         *     ]
                         */
                        states: string[] | null;
                        /** @description Limits of the device; null: none or unknown. */
                        limits: {
                            /**
                             * @description Lower end of the usual axis.
                             * @example 0
                             */
                            displayLow: number | null;
                            /**
                             * @description Upper end of the usual axis.
                             * @example 500
                             */
                            displayHigh: number | null;
                            /**
                             * @description Below: major alarm.
                             * @example 1
                             */
                            alarmLow: number | null;
                            /**
                             * @description Below: minor alarm.
                             * @example 10
                             */
                            warningLow: number | null;
                            /**
                             * @description Above: minor alarm.
                             * @example 450
                             */
                            warningHigh: number | null;
                            /**
                             * @description Above: major alarm.
                             * @example 490
                             */
                            alarmHigh: number | null;
                        };
                        /** @description Oldest first. A value is valid until the next one. The first one may be before `start`: it is the value at `start`. */
                        samples: {
                            /**
                             * @description Milliseconds since the epoch.
                             * @example 1764104400500
                             */
                            at: number;
                            /**
                             * @description The number, or the index of a state; null: not a finite number, draw a gap.
                             * @example 401.23
                             */
                            value: number | null;
                            /**
                             * @description Alarm severity; `NONE`: no alarm.
                             * @enum {string}
                             */
                            severity: "NONE" | "MINOR" | "MAJOR" | "INVALID" | "UNDEFINED";
                            /** @example 400.9 */
                            min?: number;
                            /** @example 401.6 */
                            max?: number;
                            /** @description The value of text and arrays as people read it. */
                            text?: string;
                        }[];
                        /** @description Times in which the device was not connected to the archiver. */
                        gaps: {
                            /**
                             * @description Milliseconds since the epoch.
                             * @example 1764104400500
                             */
                            start: number;
                            /**
                             * @description Milliseconds since the epoch.
                             * @example 1764104400500
                             */
                            end: number;
                        }[];
                        /** @description The missing data and the reason. */
                        problems: {
                            /**
                             * @description The source that lacks something.
                             * @enum {string}
                             */
                            source: "live" | "history" | "directory" | "alarms" | "snapshots";
                            /**
                             * @description `unknown`: the source does not have the device; `empty`: it has no value of the device for this time; `unavailable`: it does not answer, ask again later; `unreadable`: it sent something that is not a value.
                             * @enum {string}
                             */
                            code: "unknown" | "empty" | "unavailable" | "unreadable";
                            /**
                             * @description Part of a sentence in English.
                             * @example no answer within 10 s
                             */
                            reason: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDeviceAlarms: {
        parameters: {
            query?: {
                /** @description Start, as in searches; default one hour before `end`. Example: `1764100800000`. */
                start?: string;
                /** @description End, as in searches; default now. Example: `1764104400000`. */
                end?: string;
            };
            header?: never;
            path: {
                /** @description Name of the device, percent-encoded in the path. Example: `SR:C03-MG:G02A{Quad:1}I`. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Alarms of a device in a time. Contains nothing from entries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example SR:C03-MG:G02A{Quad:1}I */
                        name: string;
                        /**
                         * @description Milliseconds since the epoch.
                         * @example 1764104400500
                         */
                        start: number;
                        /**
                         * @description Milliseconds since the epoch.
                         * @example 1764104400500
                         */
                        end: number;
                        /** @description Newest first, at most 100. */
                        alarms: {
                            /**
                             * @description Milliseconds since the epoch; null: unknown.
                             * @example 1764104400500
                             */
                            at: number | null;
                            /**
                             * @description Severity of the alarm, which stays until it is acknowledged.
                             * @example MAJOR
                             */
                            severity: string;
                            /** @example HIHI_ALARM */
                            message: string;
                            /**
                             * @description Severity of the value.
                             * @example NONE
                             */
                            currentSeverity: string;
                            /** @example 3e-6 */
                            value: string;
                        }[];
                        /** @description Whether earlier alarms of this time are left out. */
                        isCut: boolean;
                        /** @description The missing data and the reason. */
                        problems: {
                            /**
                             * @description The source that lacks something.
                             * @enum {string}
                             */
                            source: "live" | "history" | "directory" | "alarms" | "snapshots";
                            /**
                             * @description `unknown`: the source does not have the device; `empty`: it has no value of the device for this time; `unavailable`: it does not answer, ask again later; `unreadable`: it sent something that is not a value.
                             * @enum {string}
                             */
                            code: "unknown" | "empty" | "unavailable" | "unreadable";
                            /**
                             * @description Part of a sentence in English.
                             * @example no answer within 10 s
                             */
                            reason: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSnapshot: {
        parameters: {
            query?: {
                /** @description Number of devices before the first row. Default: `0`. */
                from?: number;
            };
            header?: never;
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
                /** @description Id of the snapshot. Example: `8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1`. */
                snapshotId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Saved values, and the values of the same devices now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example 8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1 */
                        id: string;
                        /** @description At most 200 devices, in the order of the snapshot. */
                        rows: {
                            /** @example SR:C03-MG:G02A{Quad:1}I */
                            name: string;
                            /** @description The saved value; null: see `problems`. */
                            saved: {
                                /**
                                 * @description Kind of the value. An enumeration has the index of a state as its number.
                                 * @enum {string}
                                 */
                                kind: "number" | "enum" | "text" | "array";
                                /**
                                 * @description The number; null: none, or not finite.
                                 * @example 401.23
                                 */
                                value: number | null;
                                /**
                                 * @description The value with its units as people read it.
                                 * @example 401.2 mA
                                 */
                                text: string;
                                /**
                                 * @description Alarm severity; `NONE`: no alarm.
                                 * @enum {string}
                                 */
                                severity: "NONE" | "MINOR" | "MAJOR" | "INVALID" | "UNDEFINED";
                                /**
                                 * @description Milliseconds since the epoch.
                                 * @example 1764104400500
                                 */
                                at: number;
                            } | null;
                            /** @description The value now; null: no source, or see `problems`. */
                            current: {
                                /**
                                 * @description Kind of the value. An enumeration has the index of a state as its number.
                                 * @enum {string}
                                 */
                                kind: "number" | "enum" | "text" | "array";
                                /**
                                 * @description The number; null: none, or not finite.
                                 * @example 401.23
                                 */
                                value: number | null;
                                /**
                                 * @description The value with its units as people read it.
                                 * @example 401.2 mA
                                 */
                                text: string;
                                /**
                                 * @description Alarm severity; `NONE`: no alarm.
                                 * @enum {string}
                                 */
                                severity: "NONE" | "MINOR" | "MAJOR" | "INVALID" | "UNDEFINED";
                                /**
                                 * @description Milliseconds since the epoch.
                                 * @example 1764104400500
                                 */
                                at: number;
                            } | null;
                            /** @description Whether the values differ by more than a millionth, or in their units; null: one of them is missing. */
                            isDifferent: boolean | null;
                            /**
                             * @description The value now minus the saved one; null: equal, not numbers, or in other units.
                             * @example -0.5
                             */
                            difference: number | null;
                            /** @description The missing data and the reason. */
                            problems: {
                                /**
                                 * @description The source that lacks something.
                                 * @enum {string}
                                 */
                                source: "live" | "history" | "directory" | "alarms" | "snapshots";
                                /**
                                 * @description `unknown`: the source does not have the device; `empty`: it has no value of the device for this time; `unavailable`: it does not answer, ask again later; `unreadable`: it sent something that is not a value.
                                 * @enum {string}
                                 */
                                code: "unknown" | "empty" | "unavailable" | "unreadable";
                                /**
                                 * @description Part of a sentence in English.
                                 * @example no answer within 10 s
                                 */
                                reason: string;
                            }[];
                        }[];
                        /**
                         * @description Number of devices that match `deviceNames`.
                         * @example 12
                         */
                        total: number;
                        /**
                         * @description Number of devices that do not, and are left out.
                         * @example 0
                         */
                        excluded: number;
                        /** @description The missing data and the reason. */
                        problems: {
                            /**
                             * @description The source that lacks something.
                             * @enum {string}
                             */
                            source: "live" | "history" | "directory" | "alarms" | "snapshots";
                            /**
                             * @description `unknown`: the source does not have the device; `empty`: it has no value of the device for this time; `unavailable`: it does not answer, ask again later; `unreadable`: it sent something that is not a value.
                             * @enum {string}
                             */
                            code: "unknown" | "empty" | "unavailable" | "unreadable";
                            /**
                             * @description Part of a sentence in English.
                             * @example no answer within 10 s
                             */
                            reason: string;
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEntries: {
        parameters: {
            query?: {
                /** @description Words of the description, all of which must occur; `"a phrase"`; `*` and `?` are wildcards within a word. Example: `beam "lost at"`. */
                text?: string;
                /** @description Another name of `text`. */
                desc?: string;
                /** @description Another name of `text`. */
                description?: string;
                /** @description Words of the title, written in the same way. Example: `magnet trip`. */
                title?: string;
                /** @description Exactly these words, in this order, in the description. Example: `vacuum leak`. */
                phrase?: string;
                /** @description Words anywhere in the entry, including its names, values and attachments; `-word` excludes entries with the word; `has:attachment`, `is:reply`, `is:edited`, `is:automatic`, `is:running`, `is:done`, `is:failed`, `is:abandoned`, each also with a leading `-`; filters such as `logbook="Main Ring"`, `-tag=alarm`, with the keys `owner`, `tag`, `logbook`, `level`, `device`, `property`, `title`, `attachment`, `start` and `end`. Example: `quad* -test has:attachment owner=user`. */
                query?: string;
                /** @description Words inside the attachments: text, HTML and PDF. Example: `interlock`. */
                attachmenttext?: string;
                /** @description When present and not `false`, words that differ by one or two letters also match. Example: `true`. */
                fuzzy?: string;
                /** @description Any of these owners; `*` and `?` are wildcards. Example: `user`. */
                owner?: string;
                /** @description Another name of `owner`. */
                owners?: string;
                /** @description Any of these levels, by its name or one of its words; `*` and `?` are wildcards. Example: `Problem,Urgent`. */
                level?: string;
                /** @description Another name of `level`. */
                levels?: string;
                /** @description Any of these logbooks; `*` and `?` are wildcards. Example: `operations`. */
                logbooks?: string;
                /** @description Another name of `logbooks`. */
                logbook?: string;
                /** @description Any of these tags; `*` and `?` are wildcards. Example: `alarm`. */
                tags?: string;
                /** @description Another name of `tags`. */
                tag?: string;
                /** @description Any of these devices, by its name or a part of the name; `*` and `?` are wildcards. Example: `SR:C03*`. */
                device?: string;
                /** @description Another name of `device`. */
                devices?: string;
                /** @description Any of these properties, each as `name[.attribute[.value]]`; `*` and `?` are wildcards in each part. Example: `resource.name.SR*`. */
                properties?: string;
                /** @description Another name of `properties`. */
                property?: string;
                /** @description When empty, any attachment; `image`, `video`, `audio`, `text` or `pdf`; otherwise a file name, in which `*` and `?` are wildcards. Example: `image`. */
                attachments?: string;
                /** @description Another name of `attachments`. */
                attachment?: string;
                /** @description Created, or with an event, at or after this time. Example: `2026-03-01 06:00`. */
                start?: string;
                /** @description Created, or with an event, at or before this time. A day or a year includes all of it. Example: `now`. */
                end?: string;
                /** @description When `false`, `start` and `end` apply to the creation only. Example: `false`. */
                includeevents?: string;
                /** @description Time zone of `start` and `end`: an IANA name, or an offset such as `+02:00`, `GMT+2` or `Z`. Example: `Europe/Berlin`. */
                tz?: string;
                /** @description Number of entries on a page; default 100, at most 1000. Example: `20`. */
                size?: string;
                /** @description Another name of `size`. */
                limit?: string;
                /** @description Number of the page, starting at 1. Example: `1`. */
                page?: string;
                /** @description Number of entries to skip; takes precedence over `page`. Example: `0`. */
                from?: string;
                /** @description `up`: oldest first; `down` (default): newest first; `relevance`: most relevant to the words of `query` first. Example: `down`. */
                sort?: string;
                /** @description `list`: the entries without `source` and `description`, and with a `snippet`: plain text of at most 300 characters around the first match. Example: `list`. */
                view?: string;
                /** @description When `true`, each entry has `snippet` and `highlights`: where the words of the search occur in its title and its snippet. Example: `true`. */
                highlight?: string;
                /** @description The `asOf` of an earlier response: entries created later are neither found nor counted. Edits are seen, so an edited entry can begin or cease to match. `now`: the current moment. Example: `4711`. */
                asOf?: string;
                /** @description `thread`: of the matching entries of each thread only the newest; `hitCount` then counts threads. Example: `thread`. */
                group?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entries of the page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": (components["schemas"]["Entry"] | components["schemas"]["ViewedEntry"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createEntry: {
        parameters: {
            query?: {
                /** @description Markup of the text: `commonmark` (default) or `none`. Example: `commonmark`. */
                markup?: string;
                /** @description Id of the entry that this one replies to. Empty, 0 or negative: no reply. Example: `41`. */
                inReplyTo?: string;
                /** @description Whether to open a run: an entry to which blocks are appended. Default: `false`. */
                run?: boolean;
                /** @description Whether to notify connected live clients immediately. Default: `true`. */
                notifyWsClients?: boolean;
                /** @description Id of your draft to submit. Its files are attached and the draft is removed, in one transaction with the change. `attachments` in the body can order, rename and describe these files by their ids; the others follow at the end. */
                draft?: string;
            };
            header?: {
                /** @description Name and version of the client, for the log of the service. Example: `shift-script 1.2`. */
                "x-logbook-client-info"?: string;
                /** @description Name of the user for whom this request is meant, percent-encoded; 401 `auth.other-user` if the credentials are those of another. Every request that requires a user accepts it. Example: `jdoe`. */
                "x-logbook-expected-user"?: string;
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryInput"];
            };
        };
        responses: {
            /** @description The entry as stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getEntry: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry as stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                };
            };
            /** @description The request prefers HTML: the address of the page of the entry. */
            302: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateEntry: {
        parameters: {
            query?: {
                /** @description Markup of the text: `commonmark` (default) or `none`. Example: `commonmark`. */
                markup?: string;
                /** @description Whether to notify connected live clients immediately. Default: `true`. */
                notifyWsClients?: boolean;
                /** @description Id of your draft to submit. Its files are attached and the draft is removed, in one transaction with the change. `attachments` in the body can order, rename and describe these files by their ids; the others follow at the end. */
                draft?: string;
            };
            header?: {
                /** @description Name and version of the client, for the log of the service. Example: `shift-script 1.2`. */
                "x-logbook-client-info"?: string;
                /** @description Name of the user for whom this request is meant, percent-encoded; 401 `auth.other-user` if the credentials are those of another. Every request that requires a user accepts it. Example: `jdoe`. */
                "x-logbook-expected-user"?: string;
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
                /** @description The `ETag` of the version that you read. The update fails if the entry has changed since then. Without it, blocks that were appended to an open run after the last block in the sent text are kept. Example: `"3"`. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EntryInput"];
            };
        };
        responses: {
            /** @description The entry as stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            /** @description The entry has changed since the version in `If-Match`. The header `ETag` is that of the current version. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        current: components["schemas"]["Entry"];
                    };
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getArchivedEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The versions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getEntryVersion: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version that you have; 304 if it is the current one. */
                "if-none-match"?: string;
            };
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
                /** @description Number of the version, from 1. Example: `1`. */
                number: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The entry as stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    groupEntries: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Ids of at least two entries. */
        requestBody: {
            content: {
                /**
                 * @example [
                 *       41,
                 *       42
                 *     ]
                 */
                "application/json": (number | string)[];
            };
        };
        responses: {
            /** @description These entries, as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    ungroupEntries: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description Ids of the entries. */
        requestBody: {
            content: {
                /**
                 * @example [
                 *       41,
                 *       42
                 *     ]
                 */
                "application/json": (number | string)[];
            };
        };
        responses: {
            /** @description These entries, as they are now. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    createEntryWithFiles: {
        parameters: {
            query?: {
                /** @description Markup of the text: `commonmark` (default) or `none`. Example: `commonmark`. */
                markup?: string;
                /** @description Id of the entry that this one replies to. Empty, 0 or negative: no reply. Example: `41`. */
                inReplyTo?: string;
                /** @description Whether to open a run: an entry to which blocks are appended. Default: `false`. */
                run?: boolean;
                /** @description Whether to notify connected live clients immediately. Default: `true`. */
                notifyWsClients?: boolean;
                /** @description Id of your draft to submit. Its files are attached and the draft is removed, in one transaction with the change. `attachments` in the body can order, rename and describe these files by their ids; the others follow at the end. */
                draft?: string;
            };
            header?: {
                /** @description Name and version of the client, for the log of the service. Example: `shift-script 1.2`. */
                "x-logbook-client-info"?: string;
                /** @description Name of the user for whom this request is meant, percent-encoded; 401 `auth.other-user` if the credentials are those of another. Every request that requires a user accepts it. Example: `jdoe`. */
                "x-logbook-expected-user"?: string;
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    logEntry: components["schemas"]["EntryInput"];
                    /** @description One part for each new attachment, with its file name. */
                    files?: string[];
                };
            };
        };
        responses: {
            /** @description The entry as stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    updateEntryWithFiles: {
        parameters: {
            query?: {
                /** @description Markup of the text: `commonmark` (default) or `none`. Example: `commonmark`. */
                markup?: string;
                /** @description Whether to notify connected live clients immediately. Default: `true`. */
                notifyWsClients?: boolean;
                /** @description Id of your draft to submit. Its files are attached and the draft is removed, in one transaction with the change. `attachments` in the body can order, rename and describe these files by their ids; the others follow at the end. */
                draft?: string;
            };
            header?: {
                /** @description Name and version of the client, for the log of the service. Example: `shift-script 1.2`. */
                "x-logbook-client-info"?: string;
                /** @description Name of the user for whom this request is meant, percent-encoded; 401 `auth.other-user` if the credentials are those of another. Every request that requires a user accepts it. Example: `jdoe`. */
                "x-logbook-expected-user"?: string;
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
                /** @description The `ETag` of the version that you read. The update fails if the entry has changed since then. Without it, blocks that were appended to an open run after the last block in the sent text are kept. Example: `"3"`. */
                "if-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    logEntry: components["schemas"]["EntryInput"];
                    /** @description One part for each new attachment, with its file name. */
                    files?: string[];
                };
            };
        };
        responses: {
            /** @description The entry as stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            /** @description The entry has changed since the version in `If-Match`. The header `ETag` is that of the current version. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        current: components["schemas"]["Entry"];
                    };
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    appendBlock: {
        parameters: {
            query?: {
                /** @description Markup of the text: `commonmark` (default) or `none`. Example: `commonmark`. */
                markup?: string;
                /** @description Whether to notify connected live clients immediately. Default: `true`. */
                notifyWsClients?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
                /** @description Number of the block, from 1, without gaps. Example: `17`. */
                sequence: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RunBlock"];
            };
        };
        responses: {
            /** @description The block is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendedBlock"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    closeRun: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CloseRun"];
            };
        };
        responses: {
            /** @description The entry as stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    appendBlockWithFiles: {
        parameters: {
            query?: {
                /** @description Markup of the text: `commonmark` (default) or `none`. Example: `commonmark`. */
                markup?: string;
                /** @description Whether to notify connected live clients immediately. Default: `true`. */
                notifyWsClients?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
                /** @description Number of the block, from 1, without gaps. Example: `17`. */
                sequence: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    logEntry?: components["schemas"]["RunBlock"];
                    /** @description One part for each file, with its file name. */
                    files?: string[];
                };
            };
        };
        responses: {
            /** @description The block is stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AppendedBlock"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    redactEntry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the entry. */
                logId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedactionInput"];
            };
        };
        responses: {
            /** @description It is removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedactionOutcome"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getAttachmentByName: {
        parameters: {
            query?: {
                /** @description Whether a browser may display the file in place of the page: images other than SVG, PDF, plain text, audio and video. Otherwise it offers to save it. Default: `false`. */
                inline?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
                /** @description File name of the attachment. Example: `trip.csv`. */
                attachmentName: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, with its media type. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The part of the file that `Range` names. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAttachment: {
        parameters: {
            query?: {
                /** @description Whether a browser may display the file in place of the page: images other than SVG, PDF, plain text, audio and video. Otherwise it offers to save it. Default: `false`. */
                inline?: boolean;
            };
            header?: never;
            path: {
                /** @description Id of the attachment. Example: `trip-data-1`. */
                attachmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file, with its media type. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The part of the file that `Range` names. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addAttachment: {
        parameters: {
            query?: {
                /** @description Markup of the text: `commonmark` (default) or `none`. Example: `commonmark`. */
                markup?: string;
                /** @description Whether to notify connected live clients immediately. Default: `true`. */
                notifyWsClients?: boolean;
            };
            header?: {
                /** @description Name and version of the client, for the log of the service. Example: `shift-script 1.2`. */
                "x-logbook-client-info"?: string;
                /** @description Name of the user for whom this request is meant, percent-encoded; 401 `auth.other-user` if the credentials are those of another. Every request that requires a user accepts it. Example: `jdoe`. */
                "x-logbook-expected-user"?: string;
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
                /** @description The `ETag` of the version that you read. The update fails if the entry has changed since then. Without it, blocks that were appended to an open run after the last block in the sent text are kept. Example: `"3"`. */
                "if-match"?: string;
            };
            path: {
                /** @description Id of the entry. Example: `42`. */
                logId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** @description The file. */
                    file: string;
                    /** @description File name; default: the file name of the part. */
                    filename?: string;
                    /** @description Id of the attachment; default: a generated one. */
                    id?: string;
                    /** @description Description of the file. */
                    fileMetadataDescription?: string;
                };
            };
        };
        responses: {
            /** @description The entry as stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Entry"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            /** @description The entry has changed since the version in `If-Match`. The header `ETag` is that of the current version. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        current: components["schemas"]["Entry"];
                    };
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getThumbnail: {
        parameters: {
            query?: {
                /** @description The largest width and height, in pixels. Default: `320`. */
                size?: 160 | 320 | 640;
            };
            header?: never;
            path: {
                /** @description Id of the attachment. */
                attachmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thumbnail. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/webp": string;
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    searchEntries: {
        parameters: {
            query?: {
                /** @description Words of the description, all of which must occur; `"a phrase"`; `*` and `?` are wildcards within a word. Example: `beam "lost at"`. */
                text?: string;
                /** @description Another name of `text`. */
                desc?: string;
                /** @description Another name of `text`. */
                description?: string;
                /** @description Words of the title, written in the same way. Example: `magnet trip`. */
                title?: string;
                /** @description Exactly these words, in this order, in the description. Example: `vacuum leak`. */
                phrase?: string;
                /** @description Words anywhere in the entry, including its names, values and attachments; `-word` excludes entries with the word; `has:attachment`, `is:reply`, `is:edited`, `is:automatic`, `is:running`, `is:done`, `is:failed`, `is:abandoned`, each also with a leading `-`; filters such as `logbook="Main Ring"`, `-tag=alarm`, with the keys `owner`, `tag`, `logbook`, `level`, `device`, `property`, `title`, `attachment`, `start` and `end`. Example: `quad* -test has:attachment owner=user`. */
                query?: string;
                /** @description Words inside the attachments: text, HTML and PDF. Example: `interlock`. */
                attachmenttext?: string;
                /** @description When present and not `false`, words that differ by one or two letters also match. Example: `true`. */
                fuzzy?: string;
                /** @description Any of these owners; `*` and `?` are wildcards. Example: `user`. */
                owner?: string;
                /** @description Another name of `owner`. */
                owners?: string;
                /** @description Any of these levels, by its name or one of its words; `*` and `?` are wildcards. Example: `Problem,Urgent`. */
                level?: string;
                /** @description Another name of `level`. */
                levels?: string;
                /** @description Any of these logbooks; `*` and `?` are wildcards. Example: `operations`. */
                logbooks?: string;
                /** @description Another name of `logbooks`. */
                logbook?: string;
                /** @description Any of these tags; `*` and `?` are wildcards. Example: `alarm`. */
                tags?: string;
                /** @description Another name of `tags`. */
                tag?: string;
                /** @description Any of these devices, by its name or a part of the name; `*` and `?` are wildcards. Example: `SR:C03*`. */
                device?: string;
                /** @description Another name of `device`. */
                devices?: string;
                /** @description Any of these properties, each as `name[.attribute[.value]]`; `*` and `?` are wildcards in each part. Example: `resource.name.SR*`. */
                properties?: string;
                /** @description Another name of `properties`. */
                property?: string;
                /** @description When empty, any attachment; `image`, `video`, `audio`, `text` or `pdf`; otherwise a file name, in which `*` and `?` are wildcards. Example: `image`. */
                attachments?: string;
                /** @description Another name of `attachments`. */
                attachment?: string;
                /** @description Created, or with an event, at or after this time. Example: `2026-03-01 06:00`. */
                start?: string;
                /** @description Created, or with an event, at or before this time. A day or a year includes all of it. Example: `now`. */
                end?: string;
                /** @description When `false`, `start` and `end` apply to the creation only. Example: `false`. */
                includeevents?: string;
                /** @description Time zone of `start` and `end`: an IANA name, or an offset such as `+02:00`, `GMT+2` or `Z`. Example: `Europe/Berlin`. */
                tz?: string;
                /** @description Number of entries on a page; default 100, at most 1000. Example: `20`. */
                size?: string;
                /** @description Another name of `size`. */
                limit?: string;
                /** @description Number of the page, starting at 1. Example: `1`. */
                page?: string;
                /** @description Number of entries to skip; takes precedence over `page`. Example: `0`. */
                from?: string;
                /** @description `up`: oldest first; `down` (default): newest first; `relevance`: most relevant to the words of `query` first. Example: `down`. */
                sort?: string;
                /** @description `list`: the entries without `source` and `description`, and with a `snippet`: plain text of at most 300 characters around the first match. Example: `list`. */
                view?: string;
                /** @description When `true`, each entry has `snippet` and `highlights`: where the words of the search occur in its title and its snippet. Example: `true`. */
                highlight?: string;
                /** @description The `asOf` of an earlier response: entries created later are neither found nor counted. Edits are seen, so an edited entry can begin or cease to match. `now`: the current moment. Example: `4711`. */
                asOf?: string;
                /** @description `thread`: of the matching entries of each thread only the newest; `hitCount` then counts threads. Example: `thread`. */
                group?: string;
                /** @description A text: the response also has up to 10 entries of similar meaning, in `byMeaning`, without those that contain the words of the search. Filters apply to them too. If the response lacks `byMeaning`, entries could not be compared at the moment. Example: `transmitter went off`. */
                meaning?: string;
                /** @description When `true`, the response explains how each part was interpreted. Example: `true`. */
                explain?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page and the number of matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The exact number of matching entries.
                         * @example 42
                         */
                        hitCount: number;
                        /** @description The entries of the page. */
                        logs: (components["schemas"]["Entry"] | components["schemas"]["ViewedEntry"])[];
                        /**
                         * @description With `view`, `highlight`, `group` or `asOf`: the moment of the search, to be sent with requests for later pages.
                         * @example 4711
                         */
                        asOf?: number;
                        /** @description How the search was interpreted. */
                        explain?: {
                            /** @description The parts of the search, all of which must match. */
                            parts: {
                                /**
                                 * @description The parameter that the part belongs to.
                                 * @example text
                                 */
                                parameter: string;
                                /**
                                 * @description The value searched for, in the folded form in which it is compared.
                                 * @example quad*
                                 */
                                value: string;
                                /**
                                 * @description `word`, `phrase`, `wildcard`, `fuzzy`, `values`, `flag` or `window`.
                                 * @example wildcard
                                 */
                                interpretedAs: string;
                                /**
                                 * @description Whether matching entries are left out.
                                 * @example false
                                 */
                                excluded: boolean;
                                /**
                                 * @description Number of entries that match this part alone.
                                 * @example 12
                                 */
                                hitCount: number;
                                /** @description The terms that a wildcard or a fuzzy word matches. */
                                expansion?: {
                                    /**
                                     * @description Number of matching terms; of a wildcard, at most 20,000.
                                     * @example 2
                                     */
                                    count: number;
                                    /**
                                     * @description At most 100 of the terms.
                                     * @example [
                                     *       "quad",
                                     *       "quads"
                                     *     ]
                                     */
                                    terms: string[];
                                };
                                /**
                                 * @description When no entry matches this part, existing words or values with a similar spelling.
                                 * @example [
                                 *       "quads"
                                 *     ]
                                 */
                                suggestions?: string[];
                            }[];
                            /** @description The time window, both ends included; null for an open end. */
                            window?: {
                                /** @example 2026-03-01T05:00:00.000Z */
                                start: string | null;
                                /** @example null */
                                end: string | null;
                                /**
                                 * @description The time zone of times without one.
                                 * @example Europe/Berlin
                                 */
                                zone: string;
                                /** @example true */
                                includeEvents: boolean;
                            };
                            /**
                             * @description When nothing matches, the index in `parts` of the part that excluded the last match.
                             * @example 0
                             */
                            unmatchedPart?: number;
                        };
                        /** @description Entries of similar meaning, most similar first. */
                        byMeaning?: {
                            entry: components["schemas"]["ViewedEntry"];
                            /**
                             * @description At most three devices and words of the entry that are most similar.
                             * @example [
                             *       "Klystron",
                             *       "tripped"
                             *     ]
                             */
                            like: string[];
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getThread: {
        parameters: {
            query?: {
                /** @description Number of entries on a page; default 100, at most 1000. Example: `20`. */
                size?: string;
                /** @description Another name of `size`. */
                limit?: string;
                /** @description Number of the page, starting at 1. Example: `1`. */
                page?: string;
                /** @description Number of entries to skip; takes precedence over `page`. Example: `0`. */
                from?: string;
                /** @description `list`: the entries without `source` and `description`, and with a `snippet`: plain text of at most 300 characters around the first match. Example: `list`. */
                view?: string;
                /** @description When `true`, each entry has `snippet` and `highlights`: where the words of the search occur in its title and its snippet. Example: `true`. */
                highlight?: string;
                /** @description The `asOf` of an earlier response: entries created later are neither found nor counted. Edits are seen, so an edited entry can begin or cease to match. `now`: the current moment. Example: `4711`. */
                asOf?: string;
            };
            header?: never;
            path: {
                /** @description Value of the attribute `id` of the property `Log Entry Group`. */
                groupId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page and the number of matches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The exact number of matching entries.
                         * @example 42
                         */
                        hitCount: number;
                        /** @description The entries of the page. */
                        logs: (components["schemas"]["Entry"] | components["schemas"]["ViewedEntry"])[];
                        /**
                         * @description With `view`, `highlight`, `group` or `asOf`: the moment of the search, to be sent with requests for later pages.
                         * @example 4711
                         */
                        asOf?: number;
                        /** @description How the search was interpreted. */
                        explain?: {
                            /** @description The parts of the search, all of which must match. */
                            parts: {
                                /**
                                 * @description The parameter that the part belongs to.
                                 * @example text
                                 */
                                parameter: string;
                                /**
                                 * @description The value searched for, in the folded form in which it is compared.
                                 * @example quad*
                                 */
                                value: string;
                                /**
                                 * @description `word`, `phrase`, `wildcard`, `fuzzy`, `values`, `flag` or `window`.
                                 * @example wildcard
                                 */
                                interpretedAs: string;
                                /**
                                 * @description Whether matching entries are left out.
                                 * @example false
                                 */
                                excluded: boolean;
                                /**
                                 * @description Number of entries that match this part alone.
                                 * @example 12
                                 */
                                hitCount: number;
                                /** @description The terms that a wildcard or a fuzzy word matches. */
                                expansion?: {
                                    /**
                                     * @description Number of matching terms; of a wildcard, at most 20,000.
                                     * @example 2
                                     */
                                    count: number;
                                    /**
                                     * @description At most 100 of the terms.
                                     * @example [
                                     *       "quad",
                                     *       "quads"
                                     *     ]
                                     */
                                    terms: string[];
                                };
                                /**
                                 * @description When no entry matches this part, existing words or values with a similar spelling.
                                 * @example [
                                 *       "quads"
                                 *     ]
                                 */
                                suggestions?: string[];
                            }[];
                            /** @description The time window, both ends included; null for an open end. */
                            window?: {
                                /** @example 2026-03-01T05:00:00.000Z */
                                start: string | null;
                                /** @example null */
                                end: string | null;
                                /**
                                 * @description The time zone of times without one.
                                 * @example Europe/Berlin
                                 */
                                zone: string;
                                /** @example true */
                                includeEvents: boolean;
                            };
                            /**
                             * @description When nothing matches, the index in `parts` of the part that excluded the last match.
                             * @example 0
                             */
                            unmatchedPart?: number;
                        };
                        /** @description Entries of similar meaning, most similar first. */
                        byMeaning?: {
                            entry: components["schemas"]["ViewedEntry"];
                            /**
                             * @description At most three devices and words of the entry that are most similar.
                             * @example [
                             *       "Klystron",
                             *       "tripped"
                             *     ]
                             */
                            like: string[];
                        }[];
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSimilarEntries: {
        parameters: {
            query?: {
                /** @description Words of the description, all of which must occur; `"a phrase"`; `*` and `?` are wildcards within a word. Example: `beam "lost at"`. */
                text?: string;
                /** @description Another name of `text`. */
                desc?: string;
                /** @description Another name of `text`. */
                description?: string;
                /** @description Words of the title, written in the same way. Example: `magnet trip`. */
                title?: string;
                /** @description Exactly these words, in this order, in the description. Example: `vacuum leak`. */
                phrase?: string;
                /** @description Words anywhere in the entry, including its names, values and attachments; `-word` excludes entries with the word; `has:attachment`, `is:reply`, `is:edited`, `is:automatic`, `is:running`, `is:done`, `is:failed`, `is:abandoned`, each also with a leading `-`; filters such as `logbook="Main Ring"`, `-tag=alarm`, with the keys `owner`, `tag`, `logbook`, `level`, `device`, `property`, `title`, `attachment`, `start` and `end`. Example: `quad* -test has:attachment owner=user`. */
                query?: string;
                /** @description Words inside the attachments: text, HTML and PDF. Example: `interlock`. */
                attachmenttext?: string;
                /** @description When present and not `false`, words that differ by one or two letters also match. Example: `true`. */
                fuzzy?: string;
                /** @description Any of these owners; `*` and `?` are wildcards. Example: `user`. */
                owner?: string;
                /** @description Another name of `owner`. */
                owners?: string;
                /** @description Any of these levels, by its name or one of its words; `*` and `?` are wildcards. Example: `Problem,Urgent`. */
                level?: string;
                /** @description Another name of `level`. */
                levels?: string;
                /** @description Any of these logbooks; `*` and `?` are wildcards. Example: `operations`. */
                logbooks?: string;
                /** @description Another name of `logbooks`. */
                logbook?: string;
                /** @description Any of these tags; `*` and `?` are wildcards. Example: `alarm`. */
                tags?: string;
                /** @description Another name of `tags`. */
                tag?: string;
                /** @description Any of these devices, by its name or a part of the name; `*` and `?` are wildcards. Example: `SR:C03*`. */
                device?: string;
                /** @description Another name of `device`. */
                devices?: string;
                /** @description Any of these properties, each as `name[.attribute[.value]]`; `*` and `?` are wildcards in each part. Example: `resource.name.SR*`. */
                properties?: string;
                /** @description Another name of `properties`. */
                property?: string;
                /** @description When empty, any attachment; `image`, `video`, `audio`, `text` or `pdf`; otherwise a file name, in which `*` and `?` are wildcards. Example: `image`. */
                attachments?: string;
                /** @description Another name of `attachments`. */
                attachment?: string;
                /** @description Created, or with an event, at or after this time. Example: `2026-03-01 06:00`. */
                start?: string;
                /** @description Created, or with an event, at or before this time. A day or a year includes all of it. Example: `now`. */
                end?: string;
                /** @description When `false`, `start` and `end` apply to the creation only. Example: `false`. */
                includeevents?: string;
                /** @description Time zone of `start` and `end`: an IANA name, or an offset such as `+02:00`, `GMT+2` or `Z`. Example: `Europe/Berlin`. */
                tz?: string;
            };
            header?: never;
            path: {
                /** @description Id of the entry. */
                logId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Entries of similar meaning, most similar first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        entry: components["schemas"]["ViewedEntry"];
                        /**
                         * @description At most three devices and words of the entry that are most similar.
                         * @example [
                         *       "Klystron",
                         *       "tripped"
                         *     ]
                         */
                        like: string[];
                    }[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    countEntries: {
        parameters: {
            query?: {
                /** @description Words of the description, all of which must occur; `"a phrase"`; `*` and `?` are wildcards within a word. Example: `beam "lost at"`. */
                text?: string;
                /** @description Another name of `text`. */
                desc?: string;
                /** @description Another name of `text`. */
                description?: string;
                /** @description Words of the title, written in the same way. Example: `magnet trip`. */
                title?: string;
                /** @description Exactly these words, in this order, in the description. Example: `vacuum leak`. */
                phrase?: string;
                /** @description Words anywhere in the entry, including its names, values and attachments; `-word` excludes entries with the word; `has:attachment`, `is:reply`, `is:edited`, `is:automatic`, `is:running`, `is:done`, `is:failed`, `is:abandoned`, each also with a leading `-`; filters such as `logbook="Main Ring"`, `-tag=alarm`, with the keys `owner`, `tag`, `logbook`, `level`, `device`, `property`, `title`, `attachment`, `start` and `end`. Example: `quad* -test has:attachment owner=user`. */
                query?: string;
                /** @description Words inside the attachments: text, HTML and PDF. Example: `interlock`. */
                attachmenttext?: string;
                /** @description When present and not `false`, words that differ by one or two letters also match. Example: `true`. */
                fuzzy?: string;
                /** @description Any of these owners; `*` and `?` are wildcards. Example: `user`. */
                owner?: string;
                /** @description Another name of `owner`. */
                owners?: string;
                /** @description Any of these levels, by its name or one of its words; `*` and `?` are wildcards. Example: `Problem,Urgent`. */
                level?: string;
                /** @description Another name of `level`. */
                levels?: string;
                /** @description Any of these logbooks; `*` and `?` are wildcards. Example: `operations`. */
                logbooks?: string;
                /** @description Another name of `logbooks`. */
                logbook?: string;
                /** @description Any of these tags; `*` and `?` are wildcards. Example: `alarm`. */
                tags?: string;
                /** @description Another name of `tags`. */
                tag?: string;
                /** @description Any of these devices, by its name or a part of the name; `*` and `?` are wildcards. Example: `SR:C03*`. */
                device?: string;
                /** @description Another name of `device`. */
                devices?: string;
                /** @description Any of these properties, each as `name[.attribute[.value]]`; `*` and `?` are wildcards in each part. Example: `resource.name.SR*`. */
                properties?: string;
                /** @description Another name of `properties`. */
                property?: string;
                /** @description When empty, any attachment; `image`, `video`, `audio`, `text` or `pdf`; otherwise a file name, in which `*` and `?` are wildcards. Example: `image`. */
                attachments?: string;
                /** @description Another name of `attachments`. */
                attachment?: string;
                /** @description Created, or with an event, at or after this time. Example: `2026-03-01 06:00`. */
                start?: string;
                /** @description Created, or with an event, at or before this time. A day or a year includes all of it. Example: `now`. */
                end?: string;
                /** @description When `false`, `start` and `end` apply to the creation only. Example: `false`. */
                includeevents?: string;
                /** @description Time zone of `start` and `end`: an IANA name, or an offset such as `+02:00`, `GMT+2` or `Z`. Example: `Europe/Berlin`. */
                tz?: string;
                /** @description Length of the time buckets: auto, minute, 5m, hour, day, week, month, year. `auto`: the shortest with at most `buckets`. By default, an hour or more, with few buckets. Example: `month`. */
                interval?: string;
                /** @description Maximum number of buckets with `interval=auto`; default 60. With it, or with `interval=auto`, the buckets cover the whole time window, up to now if it has no end. Example: `60`. */
                buckets?: string;
                /** @description When `true`, logbooks, tags, levels, owners, devices and properties are each counted without their own filter, to show what else could be chosen. Example: `true`. */
                facetsExcludeOwn?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of matching entries by logbook, tag, level, owner, device, property and time. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /**
                         * @description The exact number of matching entries.
                         * @example 42
                         */
                        hitCount: number;
                        /** @description Matches by logbook; an entry may be in several. */
                        logbooks: {
                            /**
                             * @description Number of different values.
                             * @example 1
                             */
                            distinct: number;
                            /** @description The values, most frequent first, at most 1,000. */
                            values: {
                                /** @example operations */
                                name: string;
                                /** @example 42 */
                                count: number;
                            }[];
                        };
                        /** @description Matches by tag. */
                        tags: {
                            /**
                             * @description Number of different values.
                             * @example 1
                             */
                            distinct: number;
                            /** @description The values, most frequent first, at most 1,000. */
                            values: {
                                /** @example alarm */
                                name: string;
                                /** @example 42 */
                                count: number;
                            }[];
                        };
                        /** @description Matches by level. */
                        levels: {
                            /**
                             * @description Number of different values.
                             * @example 1
                             */
                            distinct: number;
                            /** @description The values, most frequent first, at most 1,000. */
                            values: {
                                /** @example Info */
                                name: string;
                                /** @example 42 */
                                count: number;
                            }[];
                        };
                        /** @description Matches by owner. */
                        owners: {
                            /**
                             * @description Number of different values.
                             * @example 1
                             */
                            distinct: number;
                            /** @description The values, most frequent first, at most 1,000. */
                            values: {
                                /** @example user */
                                name: string;
                                /** @example 42 */
                                count: number;
                            }[];
                        };
                        /** @description Matches by device name; an entry may have several. */
                        devices: {
                            /**
                             * @description Number of different values.
                             * @example 1
                             */
                            distinct: number;
                            /** @description The values, most frequent first, at most 1,000. */
                            values: {
                                /** @example SR:C03-MG:G02A{Quad:1} */
                                name: string;
                                /** @example 42 */
                                count: number;
                            }[];
                        };
                        /** @description Matches by the name of a property; an entry may have several. */
                        properties: {
                            /**
                             * @description Number of different values.
                             * @example 1
                             */
                            distinct: number;
                            /** @description The values, most frequent first, at most 1,000. */
                            values: {
                                /** @example device */
                                name: string;
                                /** @example 42 */
                                count: number;
                            }[];
                        };
                        /** @description Matches by time of creation, oldest first, without gaps. */
                        time: {
                            /**
                             * @description minute, 5m, hour, day, week, month, year
                             * @example month
                             */
                            interval: string;
                            /**
                             * @description The time zone in which the buckets begin.
                             * @example Europe/Berlin
                             */
                            zone: string;
                            buckets: {
                                /**
                                 * @description Start in milliseconds since the epoch; the bucket ends where the next one starts.
                                 * @example 1772319600000
                                 */
                                start: number;
                                /** @example 42 */
                                count: number;
                                /**
                                 * @description Matches by level, for the twenty levels with the most matches; levels without matches are left out.
                                 * @example {
                                 *       "Info": 40,
                                 *       "Problem": 2
                                 *     }
                                 */
                                levels: {
                                    [key: string]: number;
                                };
                            }[];
                            /**
                             * @description Start of the first bucket; null without buckets.
                             * @example 1772319600000
                             */
                            from: number | null;
                            /**
                             * @description End of the last bucket, not included; null without buckets.
                             * @example 1774994400000
                             */
                            to: number | null;
                        };
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    suggest: {
        parameters: {
            query: {
                /** @description What to suggest: owner, tag, logbook, level, device, property, title, text. `title` and `text`: words of the title and of the description. Example: `tag`. */
                key: string;
                /** @description The beginning of the value; for a property, of `name`, `name.attribute` or `name.attribute.value`. In a text of several words, only the last word counts. Example: `al`. */
                q?: string;
                /** @description Maximum number of values; default 10, at most 50. Example: `10`. */
                size?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The values, most frequent first. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @example alarm */
                        value: string;
                        /**
                         * @description The number of entries with it.
                         * @example 42
                         */
                        count: number;
                    }[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    feedEntries: {
        parameters: {
            query?: {
                /** @description Words of the description, all of which must occur; `"a phrase"`; `*` and `?` are wildcards within a word. Example: `beam "lost at"`. */
                text?: string;
                /** @description Another name of `text`. */
                desc?: string;
                /** @description Another name of `text`. */
                description?: string;
                /** @description Words of the title, written in the same way. Example: `magnet trip`. */
                title?: string;
                /** @description Exactly these words, in this order, in the description. Example: `vacuum leak`. */
                phrase?: string;
                /** @description Words anywhere in the entry, including its names, values and attachments; `-word` excludes entries with the word; `has:attachment`, `is:reply`, `is:edited`, `is:automatic`, `is:running`, `is:done`, `is:failed`, `is:abandoned`, each also with a leading `-`; filters such as `logbook="Main Ring"`, `-tag=alarm`, with the keys `owner`, `tag`, `logbook`, `level`, `device`, `property`, `title`, `attachment`, `start` and `end`. Example: `quad* -test has:attachment owner=user`. */
                query?: string;
                /** @description Words inside the attachments: text, HTML and PDF. Example: `interlock`. */
                attachmenttext?: string;
                /** @description When present and not `false`, words that differ by one or two letters also match. Example: `true`. */
                fuzzy?: string;
                /** @description Any of these owners; `*` and `?` are wildcards. Example: `user`. */
                owner?: string;
                /** @description Another name of `owner`. */
                owners?: string;
                /** @description Any of these levels, by its name or one of its words; `*` and `?` are wildcards. Example: `Problem,Urgent`. */
                level?: string;
                /** @description Another name of `level`. */
                levels?: string;
                /** @description Any of these logbooks; `*` and `?` are wildcards. Example: `operations`. */
                logbooks?: string;
                /** @description Another name of `logbooks`. */
                logbook?: string;
                /** @description Any of these tags; `*` and `?` are wildcards. Example: `alarm`. */
                tags?: string;
                /** @description Another name of `tags`. */
                tag?: string;
                /** @description Any of these devices, by its name or a part of the name; `*` and `?` are wildcards. Example: `SR:C03*`. */
                device?: string;
                /** @description Another name of `device`. */
                devices?: string;
                /** @description Any of these properties, each as `name[.attribute[.value]]`; `*` and `?` are wildcards in each part. Example: `resource.name.SR*`. */
                properties?: string;
                /** @description Another name of `properties`. */
                property?: string;
                /** @description When empty, any attachment; `image`, `video`, `audio`, `text` or `pdf`; otherwise a file name, in which `*` and `?` are wildcards. Example: `image`. */
                attachments?: string;
                /** @description Another name of `attachments`. */
                attachment?: string;
                /** @description Created, or with an event, at or after this time. Example: `2026-03-01 06:00`. */
                start?: string;
                /** @description Created, or with an event, at or before this time. A day or a year includes all of it. Example: `now`. */
                end?: string;
                /** @description When `false`, `start` and `end` apply to the creation only. Example: `false`. */
                includeevents?: string;
                /** @description Time zone of `start` and `end`: an IANA name, or an offset such as `+02:00`, `GMT+2` or `Z`. Example: `Europe/Berlin`. */
                tz?: string;
                /** @description Number of entries on a page; default 100, at most 1000. Example: `20`. */
                size?: string;
                /** @description Another name of `size`. */
                limit?: string;
                /** @description Number of the page, starting at 1. Example: `1`. */
                page?: string;
                /** @description Number of entries to skip; takes precedence over `page`. Example: `0`. */
                from?: string;
                /** @description `up`: oldest first; `down` (default): newest first; `relevance`: most relevant to the words of `query` first. Example: `down`. */
                sort?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The feed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/rss+xml": string;
                };
            };
            /** @description Nothing has changed. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamChanges: {
        parameters: {
            query?: {
                /** @description Position after which the stream begins, unless the header is present; 0: at the first change. Default: at the next change. Example: `0`. */
                lastEventId?: string;
                /** @description Words of the description, all of which must occur; `"a phrase"`; `*` and `?` are wildcards within a word. Example: `beam "lost at"`. */
                text?: string;
                /** @description Another name of `text`. */
                desc?: string;
                /** @description Another name of `text`. */
                description?: string;
                /** @description Words of the title, written in the same way. Example: `magnet trip`. */
                title?: string;
                /** @description Exactly these words, in this order, in the description. Example: `vacuum leak`. */
                phrase?: string;
                /** @description Words anywhere in the entry, including its names, values and attachments; `-word` excludes entries with the word; `has:attachment`, `is:reply`, `is:edited`, `is:automatic`, `is:running`, `is:done`, `is:failed`, `is:abandoned`, each also with a leading `-`; filters such as `logbook="Main Ring"`, `-tag=alarm`, with the keys `owner`, `tag`, `logbook`, `level`, `device`, `property`, `title`, `attachment`, `start` and `end`. Example: `quad* -test has:attachment owner=user`. */
                query?: string;
                /** @description Words inside the attachments: text, HTML and PDF. Example: `interlock`. */
                attachmenttext?: string;
                /** @description When present and not `false`, words that differ by one or two letters also match. Example: `true`. */
                fuzzy?: string;
                /** @description Any of these owners; `*` and `?` are wildcards. Example: `user`. */
                owner?: string;
                /** @description Another name of `owner`. */
                owners?: string;
                /** @description Any of these levels, by its name or one of its words; `*` and `?` are wildcards. Example: `Problem,Urgent`. */
                level?: string;
                /** @description Another name of `level`. */
                levels?: string;
                /** @description Any of these logbooks; `*` and `?` are wildcards. Example: `operations`. */
                logbooks?: string;
                /** @description Another name of `logbooks`. */
                logbook?: string;
                /** @description Any of these tags; `*` and `?` are wildcards. Example: `alarm`. */
                tags?: string;
                /** @description Another name of `tags`. */
                tag?: string;
                /** @description Any of these devices, by its name or a part of the name; `*` and `?` are wildcards. Example: `SR:C03*`. */
                device?: string;
                /** @description Another name of `device`. */
                devices?: string;
                /** @description Any of these properties, each as `name[.attribute[.value]]`; `*` and `?` are wildcards in each part. Example: `resource.name.SR*`. */
                properties?: string;
                /** @description Another name of `properties`. */
                property?: string;
                /** @description When empty, any attachment; `image`, `video`, `audio`, `text` or `pdf`; otherwise a file name, in which `*` and `?` are wildcards. Example: `image`. */
                attachments?: string;
                /** @description Another name of `attachments`. */
                attachment?: string;
                /** @description Created, or with an event, at or after this time. Example: `2026-03-01 06:00`. */
                start?: string;
                /** @description Created, or with an event, at or before this time. A day or a year includes all of it. Example: `now`. */
                end?: string;
                /** @description When `false`, `start` and `end` apply to the creation only. Example: `false`. */
                includeevents?: string;
                /** @description Time zone of `start` and `end`: an IANA name, or an offset such as `+02:00`, `GMT+2` or `Z`. Example: `Europe/Berlin`. */
                tz?: string;
            };
            header?: {
                /** @description Position after which the stream begins; sent by browsers when they reconnect. */
                "last-event-id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The events, and a comment every 15 s while there are none. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTemplates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The templates. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putTemplate: {
        parameters: {
            query?: {
                /** @description Markup of the text: `commonmark` (default) or `none`. Example: `commonmark`. */
                markup?: string;
            };
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TemplateInput"];
            };
        };
        responses: {
            /** @description As stored. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getTemplate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the template. */
                logTemplateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Template"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteTemplate: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the template. */
                logTemplateId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The template was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listDrafts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The drafts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDraft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID that the client chooses. Example: `8f14e45f-ceea-467f-9575-2f1d2a4c3b9e`. */
                draftId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Any JSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
                /** @description Name of the user for whom this request is meant, percent-encoded; 401 `auth.other-user` if the credentials are those of another. Every request that requires a user accepts it. Example: `jdoe`. */
                "x-logbook-expected-user"?: string;
                /** @description The `ETag` of the content that you read; 412 if it has changed since then. */
                "if-match"?: string;
                /** @description `*`: 412 if there is such a draft already. */
                "if-none-match"?: string;
            };
            path: {
                /** @description A UUID that the client chooses. Example: `8f14e45f-ceea-467f-9575-2f1d2a4c3b9e`. */
                draftId: string;
            };
            cookie?: never;
        };
        /** @description Any JSON. */
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description The draft, without its content. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            /** @description The content has changed since the revision in `If-Match`. The header `ETag` is that of the current content. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @description The current content; null if there is none. */
                        current: unknown;
                    };
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteDraft: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
                /** @description Name of the user for whom this request is meant, percent-encoded; 401 `auth.other-user` if the credentials are those of another. Every request that requires a user accepts it. Example: `jdoe`. */
                "x-logbook-expected-user"?: string;
                /** @description The `ETag` of the content that you read; 412 if it has changed since then. */
                "if-match"?: string;
                /** @description `*`: 412 if there is such a draft already. */
                "if-none-match"?: string;
            };
            path: {
                /** @description A UUID that the client chooses. Example: `8f14e45f-ceea-467f-9575-2f1d2a4c3b9e`. */
                draftId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The draft was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            /** @description The content has changed since the revision in `If-Match`. The header `ETag` is that of the current content. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @description The current content; null if there is none. */
                        current: unknown;
                    };
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listDraftFiles: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID that the client chooses. Example: `8f14e45f-ceea-467f-9575-2f1d2a4c3b9e`. */
                draftId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The files. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftFile"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDraftFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID that the client chooses. Example: `8f14e45f-ceea-467f-9575-2f1d2a4c3b9e`. */
                draftId: string;
                /** @description An id that the client chooses, such as a UUID. It becomes the id of the attachment. */
                attachmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file and how much of it has arrived. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftFile"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putDraftFile: {
        parameters: {
            query?: {
                /** @description File name; required with the first part. */
                filename?: string;
                /** @description Description of the file. */
                fileMetadataDescription?: string;
            };
            header?: {
                /** @description The bytes of the file that the body contains. Example: `bytes 0-1048575/5242880`. */
                "content-range"?: string;
            };
            path: {
                /** @description A UUID that the client chooses. Example: `8f14e45f-ceea-467f-9575-2f1d2a4c3b9e`. */
                draftId: string;
                /** @description An id that the client chooses, such as a UUID. It becomes the id of the attachment. */
                attachmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file is complete. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftFile"];
                };
            };
            /** @description The part is stored. `received` and the header `Range` tell how much has arrived. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DraftFile"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteDraftFile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description A UUID that the client chooses. Example: `8f14e45f-ceea-467f-9575-2f1d2a4c3b9e`. */
                draftId: string;
                /** @description An id that the client chooses, such as a UUID. It becomes the id of the attachment. */
                attachmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getDraftFileContent: {
        parameters: {
            query?: {
                /** @description As with `GET /attachment/{id}`. Default: `false`. */
                inline?: boolean;
            };
            header?: never;
            path: {
                /** @description A UUID that the client chooses. Example: `8f14e45f-ceea-467f-9575-2f1d2a4c3b9e`. */
                draftId: string;
                /** @description An id that the client chooses, such as a UUID. It becomes the id of the attachment. */
                attachmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The part that `Range` names. */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            416: components["responses"]["RangeNotSatisfiable"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description The authenticated user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getUser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The authenticated user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["User"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    logoutByGet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is signed out of the logbook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": null | {
                        signOutUrl: string;
                    };
                };
            };
            /** @description Redirect to the sign-out of the identity provider. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser is signed out of the logbook. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": null | {
                        signOutUrl: string;
                    };
                };
            };
            /** @description Redirect to the sign-out of the identity provider. */
            303: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description Whether to list those of all users; administrators only. Default: `false`. */
                all?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Session"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the session. Example: `9f86d081884c7d65`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session was ended. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Whether to list those of all users; administrators only. Default: `false`. */
                all?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TokenInput"];
            };
        };
        responses: {
            /** @description The token, including the secret itself. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteOwnToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the token. Example: `9f86d081884c7d65`. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    beginDeviceSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeviceSignInInput"];
            };
        };
        responses: {
            /** @description What to show to the person. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeviceSignIn"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    pollDeviceSignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DevicePoll"];
            };
        };
        responses: {
            /** @description The token, including the secret itself. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Token"];
                };
            };
            /** @description It has not been confirmed yet. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DevicePending"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getMe: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Me"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One object of any fields, at most 64 kB as JSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putSettings: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
                /** @description The `ETag` of the settings that you read; 412 if they have changed since then. */
                "if-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description One object of any fields, at most 64 kB as JSON. */
        requestBody: {
            content: {
                "application/json": Record<string, never>;
            };
        };
        responses: {
            /** @description One object of any fields, at most 64 kB as JSON. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            /** @description The settings have changed since the revision in `If-Match`. The header `ETag` is that of the current settings. */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"] & {
                        /** @description One object of any fields, at most 64 kB as JSON. */
                        current: Record<string, never>;
                    };
                };
            };
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listSearches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The searches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedSearch"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addSearch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SavedSearchInput"];
            };
        };
        responses: {
            /** @description The search. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedSearch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getSearch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the search. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The search. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedSearch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putSearch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the search. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SavedSearchInput"];
            };
        };
        responses: {
            /** @description The search. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SavedSearch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteSearch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the search. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The search was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listInbox: {
        parameters: {
            query?: {
                /** @description Maximum number of items. Default: `30`. */
                size?: number;
                /** @description Only items with a lower id: `next` of the page before. */
                before?: number;
                /** @description Only items of the watch with this id. */
                watch?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the inbox. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** @description Number of unread items in the whole inbox. */
                        unread: number;
                        /** @description Number of the watches of the user; 0: no item will be added. */
                        watches: number;
                        items: components["schemas"]["InboxItem"][];
                        /** @description The value of `before` for the next page; null: this is the last one. */
                        next: number | null;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    markInboxRead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The items to mark as read; ids that are not in the inbox have no effect. */
        requestBody: {
            content: {
                "application/json": {
                    /** @description These items. */
                    ids?: number[];
                    /** @description All items up to this id. */
                    upTo?: number;
                };
            };
        };
        responses: {
            /** @description The number of unread items. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        unread: number;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listWatches: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The watches. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    addWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchInput"];
            };
        };
        responses: {
            /** @description The watch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    putWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the watch. */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WatchInput"];
            };
        };
        responses: {
            /** @description The watch. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watch"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deleteWatch: {
        parameters: {
            query?: never;
            header?: {
                /** @description A key of your choice, unique to this request. The same request with the same key returns the first result, and changes nothing, for 7 days; a different request with it is refused with 422. Example: `7f2c1d9a-import-0042`. */
                "idempotency-key"?: string;
            };
            path: {
                /** @description Id of the watch. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The watch was deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getInboxDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The choice of the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putInboxDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The choice of the user. */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Whether new items of the inbox are mailed to the user. */
                    mail: boolean;
                    /** @description Whether new items of the inbox are sent to the user in the chat. */
                    chat?: boolean;
                    /** @description The quiet hours; null: none. */
                    quiet: {
                        /**
                         * @description When they begin.
                         * @example 22:00
                         */
                        from: string;
                        /**
                         * @description When they end, perhaps on the next day.
                         * @example 22:00
                         */
                        to: string;
                        /**
                         * @description IANA time zone of both times.
                         * @example Europe/Berlin
                         */
                        zone: string;
                    } | null;
                };
            };
        };
        responses: {
            /** @description The choice of the user. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InboxDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    putPushBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The subscription of a browser (Push API). */
        requestBody: {
            content: {
                "application/json": {
                    /** @description Address of the browser at the push service of its maker, https. */
                    endpoint: string;
                    /** @description The key `p256dh` of the browser. */
                    publicKey: string;
                    /** @description The key `auth` of the browser. */
                    secret: string;
                    /**
                     * @description Shown to its user.
                     * @example Firefox on Linux
                     */
                    name: string;
                    /** @description Address that the browser had before its push service ended it (`pushsubscriptionchange`). The browser keeps its id. Refused if the user has removed it. */
                    replaces?: string;
                };
            };
        };
        responses: {
            /** @description The browser. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PushBrowser"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    deletePushBrowser: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Id of the browser. */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The browser gets no more notifications. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    askToUnsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token in the link of a mail. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    unsubscribe: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The token in the link of a mail. */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Only actions of this user. Example: `operator`. */
                user?: string;
                /** @description Only this action. Example: `sign-in`. */
                action?: string;
                /** @description Only actions with this outcome. */
                outcome?: "done" | "refused" | "failed";
                /** @description Only actions from this time on, in milliseconds since the epoch. */
                start?: number;
                /** @description Only actions until this time, in milliseconds since the epoch. */
                end?: number;
                /** @description Only records before the one with this id: the next page. */
                before?: number;
                /** @description Maximum number of records. Default: `100`. */
                size?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The records. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditRecord"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAccessRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccessRules"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSubscribers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subscribers, by name. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subscriber"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeSubscriber: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the subscriber. Example: `shift-chat`. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description Only dead letters with a smaller id: the next page. */
                before?: number;
                /** @description Maximum number of results. Default: `100`. */
                size?: number;
            };
            header?: never;
            path: {
                /** @description Name of the subscriber. Example: `shift-chat`. */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The dead letters. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeadLetter"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    retryDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the subscriber. Example: `shift-chat`. */
                name: string;
                /** @description Id of the dead letter. Example: `7`. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description An attempt will be made. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    removeDeadLetter: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Name of the subscriber. Example: `shift-chat`. */
                name: string;
                /** @description Id of the dead letter. Example: `7`. */
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
            507: components["responses"]["InsufficientStorage"];
        };
    };
    getWelcome: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Welcome"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getConfiguration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lists. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Configuration"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getHelp: {
        parameters: {
            query?: {
                /** @description Language; English if the page is not available in it. Example: `en`. */
                lang?: string;
            };
            header?: never;
            path: {
                /** @description Name of the page. */
                what: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The page, or null. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                    "application/json": null;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBootstrap: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` that you have; 304 if it is current. */
                "if-none-match"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The data that a client starts with. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bootstrap"];
                };
            };
            /** @description The client has the current version: `If-None-Match` names it. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
