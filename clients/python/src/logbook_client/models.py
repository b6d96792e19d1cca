# Generated from the OpenAPI description by scripts/generate_models.py.

from typing import Annotated, Literal, Optional

from pydantic import BaseModel, Field


class Run(BaseModel):
    """
    State of the run that the entry records; absent if it records none.
    """

    status: Literal["running", "done", "failed", "abandoned"]
    """
    `abandoned`: nothing was appended for a long time; an append continues the run.
    """
    blocks: Annotated[int, Field(ge=0)]
    """
    Number of appended blocks; the next one has the next number.
    """
    changedDate: int
    """
    When it was opened, or the last block was appended, in milliseconds since the epoch.
    """


class Attachment(BaseModel):
    """
    A file of an entry.
    """

    id: str
    """
    Unique id; the file is served at `attachment/{id}`.
    """
    filename: str
    """
    File name.
    """
    fileMetadataDescription: str
    """
    Description sent with the file; its media type if there was none.
    """
    size: int
    """
    Size in bytes.
    """
    contentType: str
    """
    Media type, detected from the content.
    """
    checksum: str
    """
    SHA-256 of the content, hexadecimal.
    """
    width: Optional[int] = None
    """
    Size of an image as it is displayed, in pixels, if known.
    """
    height: Optional[int] = None
    """
    Size of an image as it is displayed, in pixels, if known.
    """


class LogbookReference(BaseModel):
    name: str
    owner: str
    state: Literal["Active", "Inactive"]
    """
    Inactive: deleted, but still shown where it is used.
    """


class TagReference(BaseModel):
    name: str
    state: Literal["Active", "Inactive"]
    """
    Inactive: deleted, but still shown where it is used.
    """


class Sample(BaseModel):
    """
    The value of a device that the service has added. Absent for other attributes and for long arrays.
    """

    numbers: Optional[list[str]] = None
    """
    The value in full precision, as decimal numbers, `NaN`, `Infinity` or `-Infinity`; several for an array.
    """
    text: Optional[str] = None
    """
    The value if it is a text, or the label of a state.
    """
    index: Optional[int] = None
    """
    Index of the state of an enumeration.
    """
    units: Optional[str] = None
    severity: str
    """
    Severity of the alarm, such as `NONE` or `MAJOR`.
    """
    instant: int
    """
    Time at which the device had the value, in milliseconds since the epoch.
    """


class Event(BaseModel):
    name: str
    instant: int
    """
    Time of the event, in milliseconds since the epoch.
    """


class AttributeValue(BaseModel):
    name: str
    value: Optional[str]
    """
    Null if null was sent.
    """
    state: Literal["Active", "Inactive"]
    """
    Inactive: deleted, but still shown where it is used.
    """
    sample: Optional[Sample] = None


class PropertyInstance(BaseModel):
    name: str
    owner: str
    state: Literal["Active", "Inactive"]
    """
    Inactive: deleted, but still shown where it is used.
    """
    attributes: list[AttributeValue]


class Entry(BaseModel):
    """
    A log entry.
    """

    id: int
    """
    Assigned by the service; increasing and never reused.
    """
    ownerName: Optional[str] = None
    """
    Display name of the owner at the time of creation; absent if it was not known. It does not identify the owner.
    """
    owner: str
    """
    The user who created it.
    """
    source: str
    """
    The text with its markup, as sent.
    """
    description: str
    """
    The text without markup.
    """
    title: str
    """
    The title.
    """
    level: str
    """
    Name of its level.
    """
    createdDate: int
    """
    Time of creation, in milliseconds since the epoch.
    """
    modifyDate: Optional[int]
    """
    Time of the last edit, in milliseconds since the epoch; null if it was never edited.
    """
    modifiedBy: Optional[str]
    """
    The user who last edited it; null if it was never edited.
    """
    logbooks: list[LogbookReference]
    """
    The logbooks it is in.
    """
    tags: list[TagReference]
    """
    Its tags.
    """
    properties: list[PropertyInstance]
    """
    Its properties. The property `Log Entry Group` links grouped entries and replies.
    """
    state: Literal["Active", "Inactive"]
    """
    Inactive: deleted, but still shown where it is used.
    """
    events: list[Event]
    """
    Times of past events that the entry describes. Set at creation.
    """
    attachments: list[Attachment]
    """
    Its files.
    """
    devices: Optional[list[str]] = None
    """
    Device names that were recognised in it.
    """
    run: Optional[Run] = None
    """
    State of the run that the entry records; absent if it records none.
    """
    automatic: Optional[Literal[True]] = None
    """
    Present if a token for automatic entries created it.
    """
    version: Annotated[int, Field(ge=1)]
    """
    Number of the version: 1 if it was never edited. Replies and grouping are not edits.
    """
